// The description of a distribution, and helpers for the parameters in names.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// A family of weight distributions. Each is a struct in weights/distributions/ with
///  - `static DistributionInfo info()`,
///  - `static std::optional<Self> parse(std::string_view, std::uint64_t n, std::uint64_t seed)`:
///    the weights of `n` items; nothing for other names and for parameters out of range; n is in
///    [1, max_items],
///  - `WRSGPU_HD double operator()(Index i) const`: the weight of item i, in any order and from any
///    thread,
/// included and listed in wrsgpu/detail/weights/weight_function.hpp.
struct DistributionInfo {
  /// Its name, with parameters in angle brackets, for example "powerlaw_<exponent>".
  std::string pattern;
  /// Names for benchmarks and tests.
  std::vector<std::string> examples;
  /// A reference to its use or description.
  std::string source;
  std::string summary;
  /// Maximum relative difference between the double weights computed on host and device. 0 means
  /// that only + - * / sqrt and integers are used, and the weights are bitwise identical (nvcc
  /// compiles them without fused multiply-add, `--fmad=false`).
  double device_difference = 0;
  /// Whether the weights depend on the seed.
  bool is_random = false;
  /// Number of items of distributions that are a list; 0 for distributions of any size.
  std::uint64_t own_size = 0;
};

/// `name` without `prefix` and `suffix`, if it has both.
[[nodiscard]] inline std::optional<std::string_view> between(std::string_view name,
                                                             std::string_view prefix,
                                                             std::string_view suffix) {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return name;
}

/// The finite decimal number without sign or exponent between `prefix` and `suffix`. The caller
/// checks whether it must be an integer.
[[nodiscard]] inline std::optional<double> number_between(std::string_view name,
                                                          std::string_view prefix,
                                                          std::string_view suffix) {
  const std::optional<std::string_view> text = between(name, prefix, suffix);
  if (!text || text->empty() || text->front() < '0' || text->front() > '9') return std::nullopt;
  double number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, status] = std::from_chars(text->data(), end, number, std::chars_format::fixed);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// The same for a whole number of items, of at least `least`.
[[nodiscard]] inline std::optional<Index> items_between(std::string_view name,
                                                        std::string_view prefix,
                                                        std::string_view suffix, Index least) {
  const auto number = number_between(name, prefix, suffix);
  if (!number || *number < least || *number > static_cast<double>(max_items)) return std::nullopt;
  const auto items = static_cast<Index>(*number);
  return items == *number ? std::optional(items) : std::nullopt;
}

}  // namespace wrsgpu::weights
