// Weights from a file of any kind that is read: text, CSV and .npy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/weights/owned_weights.hpp"

namespace wrsgpu::weights {

/// How a text file is read. What is left empty is decided by the file itself; a file that can be
/// read in two ways is refused then, and the message names the option that decides. Options other
/// than `column`'s default are refused for .npy files.
struct WeightFileOptions {
  /// --column: the weights' column: its name in the header, or its number, counted from 1.
  /// "name=2020" and "number=2" say which of both is meant. Empty: the last column, or the only
  /// one of numbers where the last one holds none.
  std::string column = {};
  /// --delimiter: one character, or "comma", "semicolon", "tab", "bar", "blank" (a run of blanks
  /// and tabs), "uniq" (a count and the rest of the line, as `uniq -c` writes), "none" (one
  /// column).
  std::string delimiter = {};
  /// --header, --no-header: the first line is one of names, or is an item.
  std::optional<bool> header = {};
  /// --decimal-comma: numbers are written as 0,5.
  bool decimal_comma = false;
  /// --comment: lines that begin with this are skipped; "none": no line is. Empty: a line that
  /// begins with # is an item when it has the columns of an item and a weight, else it is skipped;
  /// a file with lines of both kinds is refused.
  std::string comment = {};
  /// --labels: the column whose texts become `WeightFile::labels`, as in `column`.
  std::string labels = {};
  /// Fills `WeightFile::line_numbers`.
  bool line_numbers = false;
  /// --lines: fills `WeightFile::line_texts`.
  bool line_texts = false;
};

/// One text for each item, in one piece of memory.
class Labels {
 public:
  void push_back(std::string_view label) {
    text_.append(label);
    ends_.push_back(text_.size());
  }
  [[nodiscard]] std::uint64_t size() const { return ends_.size(); }
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] std::string_view operator[](std::uint64_t item) const {
    const std::uint64_t begin = item == 0 ? 0 : ends_[item - 1];
    return std::string_view(text_).substr(begin, ends_[item] - begin);
  }

 private:
  std::string text_;
  std::vector<std::uint64_t> ends_;
};

/// The weights of a file, and what was asked for beside them.
struct WeightFile {
  OwnedWeights weights;
  Labels labels;                            ///< one an item, when `labels` was given
  std::vector<std::uint64_t> line_numbers;  ///< counted from 1; one an item, when asked for
  Labels line_texts;                        ///< one an item, when asked for
  /// One line that says how the file was understood, such as
  /// "3 items from column 2 'weight' of 2 (delimiter comma); header in line 1; item 0 is line 2".
  std::string how_it_was_read;
  /// What the caller should show even when nothing else is printed: rounded integers, and lines
  /// that begin with # and are read as items.
  std::vector<std::string> warnings;
  std::string header_line = {};  ///< the names of the columns as a line; empty where there is none
  std::string labels_name = {};  ///< the name of the labels' column; empty where there is none
};

/// Reads a .npy file (one that is named so, or begins so) or a text. The path "-" means standard
/// input, which is read by blocks from its file descriptor.
///
/// A text holds one item a line, or all items in its only line. Fields may be quoted as in CSV;
/// blanks around them do not count. Numbers are read as double; an integer that double does not
/// hold exactly is rounded to the nearest, with a warning. NaN, infinities and negative numbers are
/// left to the construction.
///
/// @throws Error that names the file, and the line, column, text and option where there are such:
///   for a file that cannot be read, is compressed or of a foreign format, can be read in two ways,
///   holds a field that is no number or none where a weight should be, holds no weights or more
///   than `max_items`.
[[nodiscard]] WeightFile read_weight_file(const std::filesystem::path& path,
                                          const WeightFileOptions& options = {});
[[nodiscard]] WeightFile read_weight_file(std::istream& stream, std::string_view name,
                                          const WeightFileOptions& options = {});

/// The weights alone.
[[nodiscard]] OwnedWeights read_weights(const std::filesystem::path& path,
                                        const WeightFileOptions& options = {});

}  // namespace wrsgpu::weights
