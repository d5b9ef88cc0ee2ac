// Names of the items in their weight file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wrsgpu/types.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::cli {

/// The names under which items are written: their numbers or, with --labels or --lines, text from
/// the file.
class ItemNames {
 public:
  ItemNames() = default;
  /// Takes over the lines or the labels of the file, whichever were read.
  explicit ItemNames(weights::WeightFile file);

  /// How many names there are: none for numbers, otherwise one per item.
  [[nodiscard]] std::uint64_t size() const { return names_.size(); }
  [[nodiscard]] bool are_numbers() const { return names_.empty(); }
  /// True if the names are CSV lines, to which a count can be appended as another field.
  [[nodiscard]] bool are_lines() const { return are_lines_; }
  /// Header of the column of names, or the header line of the file; may be empty.
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] std::string_view operator[](Index item) const { return names_[item]; }

 private:
  weights::Labels names_;
  std::string header_;
  bool are_lines_ = false;
};

}  // namespace wrsgpu::cli
