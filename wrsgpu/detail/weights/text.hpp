// Weights from text: one a line, or a column of CSV.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/weights/owned_weights.hpp"

namespace wrsgpu::weights {

/// Which field of each line is read, and how lines are divided.
struct TextFormat {
  /// A number, counted from 1; or a name, which the first line then gives; empty: the last column.
  std::string column = {};
  char separator = ',';
};

/// Reads one weight a line, as double. Blank lines and lines that begin with # are skipped, blanks
/// around a field do not count, and a field may be quoted as in CSV. The first line is a header
/// when a column is chosen by name, and when it has several fields of which none begins like a
/// number. What a number may be (NaN, negative) is left to the construction. Throws `Error` that
/// names `name`, the line and its text when the stream cannot be read, a field is no number or not
/// in double's range, lines differ in their number of columns, the column does not exist, and when
/// there is no weight at all.
[[nodiscard]] OwnedWeights read_text(std::istream& stream, std::string_view name,
                                     const TextFormat& format = {});
[[nodiscard]] OwnedWeights read_text(const std::filesystem::path& path,
                                     const TextFormat& format = {});

/// Reads the same lines, and returns the chosen field of each: the labels of the weights.
[[nodiscard]] std::vector<std::string> read_labels(std::istream& stream, std::string_view name,
                                                   const TextFormat& format);
[[nodiscard]] std::vector<std::string> read_labels(const std::filesystem::path& path,
                                                   const TextFormat& format);

}  // namespace wrsgpu::weights
