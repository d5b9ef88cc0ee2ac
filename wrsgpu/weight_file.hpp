// Weights from a file: text, CSV or .npy.
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

/// Options for reading a text file. An empty option is deduced from the file; an ambiguous file is
/// rejected, and the message names the option that decides. For a .npy file all options but
/// `round_integers` must have their default values.
struct WeightFileOptions {
  /// --column: the column of the weights, by its name in the header or its number, counted from 1.
  /// "name=2020" and "number=2" distinguish the two. Empty: the last column, or the only numeric
  /// column if the last one has no numbers.
  std::string column = {};
  /// --delimiter: one character, or "comma", "semicolon", "tab", "bar", "blank" (a run of blanks
  /// and tabs), "uniq" (a count and the rest of the line, as written by `uniq -c`), "none" (one
  /// column).
  std::string delimiter = {};
  /// --header, --no-header: whether the first line has the column names or is an item.
  std::optional<bool> header = {};
  /// --decimal-comma: numbers are written as 0,5.
  bool decimal_comma = false;
  /// --comment: lines that begin with this text are skipped; "none": no line is skipped. Empty: a
  /// line that begins with # is an item if it has the columns of an item and a weight, and is
  /// skipped otherwise; a file with lines of both kinds is rejected, and so is a line that begins
  /// with an error value of a spreadsheet, such as `#N/A`.
  std::string comment = {};
  /// --round-integers: integers that a double does not represent exactly are rounded to the
  /// nearest, with a warning, instead of being rejected.
  bool round_integers = false;
  /// --labels: the column whose fields become `WeightFile::labels`, named as in `column`.
  std::string labels = {};
  /// Fills `WeightFile::line_numbers`.
  bool line_numbers = false;
  /// --lines: fills `WeightFile::lines`.
  bool lines = false;
};

/// One label per item, stored in a single string.
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

/// The weights of a file, and the optional data selected by `WeightFileOptions`.
struct WeightFile {
  OwnedWeights weights;
  Labels labels;                            ///< one per item, if `labels` was given
  std::vector<std::uint64_t> line_numbers;  ///< counted from 1; one per item, if requested
  Labels lines;                             ///< one per item, if requested
  /// One line that reports how the file was interpreted, such as "3 items from column 2 'weight' of
  /// 2 (delimiter comma); header in line 1; item 0 is line 2".
  std::string interpretation;
  /// Warnings that the caller should show even in quiet mode: integers that were rounded, and lines
  /// that begin with # and were read as items.
  std::vector<std::string> warnings;
  std::string header_line = {};  ///< the line of column names; empty if there is none
  std::string labels_name = {};  ///< the name of the label column; empty if there is none
};

/// Reads a .npy file (recognised by its name or its first bytes) or a text file. The path "-" means
/// standard input, which is read in blocks from its file descriptor.
///
/// A text file holds one item per line, or all items in its only line. Fields may be quoted as in
/// CSV; surrounding blanks are ignored. Numbers are read as double. NaN, infinities and negative
/// numbers of a .npy file are left to the construction to reject.
///
/// @param path of the file
/// @param options see `WeightFileOptions`
/// @throws Error for a file that cannot be read, is compressed or of an unsupported format, is
///   ambiguous, has a missing or non-numeric weight or an integer that a double does not represent
///   exactly (`AnyWeights` rejects these, too), in a text a negative or infinite one, or has no
///   weights or more than `max_items`. The message gives the file and, where applicable, the line,
///   column, text and option.
[[nodiscard]] WeightFile read_weight_file(const std::filesystem::path& path,
                                          const WeightFileOptions& options = {});
[[nodiscard]] WeightFile read_weight_file(std::istream& stream, std::string_view name,
                                          const WeightFileOptions& options = {});

/// Reads the weights only.
[[nodiscard]] OwnedWeights read_weights(const std::filesystem::path& path,
                                        const WeightFileOptions& options = {});

}  // namespace wrsgpu::weights
