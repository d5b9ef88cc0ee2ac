// Weights that have broken, or could break, a construction.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

/// A generator of adversarial weights for any number of items. All weights are valid: finite, not
/// negative, with a positive finite sum. The weights are a function of N on every platform.
struct WeightFamily {
  std::string name;
  std::string summary;
  /// True if the weights keep their zeros and their positive finite sum as `float`s.
  bool fits_float = true;
  std::function<std::vector<double>(Index items)> make;
};

/// Every family; a new one is one more entry. Few of them when `is_brief`.
[[nodiscard]] const std::vector<WeightFamily>& weight_families();

/// Searches all families, brief or not. Throws `Error` that lists the known names.
[[nodiscard]] const WeightFamily& find_weight_family(std::string_view name);

/// Numbers of items at which constructions switch code paths: the smallest, powers of two and their
/// neighbours (warps, blocks, tiles), and a prime beyond all of them. Ascending; few of them when
/// `is_brief`.
[[nodiscard]] const std::vector<Index>& adversarial_sizes();

}  // namespace wrsgpu::verification
