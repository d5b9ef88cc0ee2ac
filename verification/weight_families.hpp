// Adversarial weights for constructions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

/// A generator of adversarial weights for any number of items. All weights are valid: finite, not
/// negative, with a positive finite sum. They are a function of N, the same on every platform.
struct WeightFamily {
  std::string name;
  std::string summary;
  /// True if the zeros and the positive finite sum of the weights survive rounding to `float`.
  bool fits_float = true;
  std::function<std::vector<double>(Index items)> make;
};

/// All families; a new one is one more entry. Only a few if `is_brief`.
[[nodiscard]] const std::vector<WeightFamily>& weight_families();

/// Searches all families, brief or not. Throws `Error` that lists the known names.
[[nodiscard]] const WeightFamily& find_weight_family(std::string_view name);

/// Numbers of items at which constructions switch code paths: the smallest, powers of two and their
/// neighbours (warps, blocks, tiles), and a prime greater than all of them. Ascending; only a few
/// if `is_brief`.
[[nodiscard]] const std::vector<Index>& adversarial_sizes();

}  // namespace wrsgpu::verification
