// A trial of an interpretation of a text: of a delimiter and a notation of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/detail/weights/reading.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::weights {

/// How numbers are written. Marks of thousands are recognised to reject them.
enum class Notation {
  decimal_point,
  decimal_comma,
  thousands_commas,  // 1,234.5
  thousands_points,  // 1.234,5
};

/// What a trial gives.
struct Trial {
  std::optional<Reading> reading;
  std::vector<double> weights;         // of the sample
  bool needs_option = false;           // valid, but chosen only by an explicit option
  bool has_thousands = false;          // valid once the marks of thousands are removed
  bool has_columns = false;            // the first row has several fields
  std::uint64_t open_header_line = 0;  // a line that can be column names or an item; 0: none
  std::optional<bool> header;          // the choice tried for such a line
  std::string failure;
};

/// Reads `lines`, the first ones of the text `name` (all of it if `is_whole`), under one delimiter
/// and one notation of numbers. Throws `Error` for options that contradict each other.
[[nodiscard]] Trial try_reading(const std::vector<Line>& lines, bool is_whole,
                                const std::string& name, const WeightFileOptions& options,
                                const Delimiter& delimiter, Notation notation);

}  // namespace wrsgpu::weights
