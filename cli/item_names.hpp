// What items are called in the file that their weights come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::cli {

/// Which line of a text file each item is, counted from 1, and the text of a column.
struct ItemSource {
  std::vector<std::uint64_t> line_of_item;
  std::vector<std::string> labels;  ///< empty unless a column was asked for
  std::uint64_t header_line = 0;    ///< 0 where there is none
};

/// That of the `items` items of the file `path`, whose weights are in `column`. Throws `Error` for
/// files without lines, such as .npy.
[[nodiscard]] ItemSource read_item_source(const std::string& path, const std::string& column,
                                          std::uint64_t items, const std::string& label_column);

/// The line of the first item where a header precedes it, as text for people; otherwise empty.
[[nodiscard]] std::string header_note(const std::string& path, const std::string& column);

/// How items are written: as numbers, or with --labels or --lines as the file has them.
class ItemNames {
 public:
  ItemNames() = default;
  /// Either lines as they are, or the labels of a column. Throws `Error`.
  ItemNames(const std::string& path, const std::string& column, std::uint64_t items,
            const std::string& label_column);

  [[nodiscard]] bool are_numbers() const { return source_.line_of_item.empty(); }
  /// Whether an item is a line of CSV, to which a count can be added as another field.
  [[nodiscard]] bool are_lines() const { return lines_.has_value(); }
  /// What a column of items is called in a header, or the file's own header; may be empty.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string_view operator[](Index item) const {
    return lines_ ? line_text(source_.line_of_item[item]) : source_.labels[item];
  }

 private:
  [[nodiscard]] std::string_view line_text(std::uint64_t line) const;

  ItemSource source_;
  std::string label_column_;
  std::optional<Lines> lines_;
};

}  // namespace wrsgpu::cli
