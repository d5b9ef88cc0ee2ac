// Interpretation of a text file, determined once from its first lines and the options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::weights {

struct Reading {
  Delimiter delimiter;
  bool decimal_comma = false;
  /// The fields of the only line are the items.
  bool one_line = false;
  std::size_t columns = 0;
  std::size_t column = 0;             // of the weights
  std::optional<std::size_t> labels;  // their column
  std::uint64_t header_line = 0;      // counted from 1; 0: none
  std::string header_reason;          // of a header that is not evident
  std::vector<std::string> names;     // of the columns; empty: none are given
};

/// "column 2 'weight'"
[[nodiscard]] std::string column_text(const Reading& reading);

/// Determines the interpretation from `sample`, the first lines of the text `name` (all of it if
/// `is_whole`), of which the first is line `first_line`. Throws `Error` if no interpretation is
/// valid, and if several valid ones give different weights.
[[nodiscard]] Reading choose_reading(std::string_view sample, bool is_whole,
                                     std::uint64_t first_line, const std::string& name,
                                     const WeightFileOptions& options);

/// Whether this line, without surrounding blanks, is a comment by the comment option.
[[nodiscard]] bool is_comment(std::string_view line, const WeightFileOptions& options);
/// Whether the line is ambiguous: it begins with # and no option decides.
[[nodiscard]] bool may_be_comment(std::string_view line, const WeightFileOptions& options);

}  // namespace wrsgpu::weights
