// The thesis's binomial deviates (4.7.3).
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/normal.hpp"

namespace wrsgpu::random {

/// An approximation of the number of successes in `n` trials of success probability `p`: a normal
/// deviate of the binomial's mean and variance, rounded to the nearest integer (half up) and
/// clamped to [0, n]. Biased: it has no skewness, which is negligible only for large n * min(p, 1 -
/// p); the thesis's condition n > 30 is not enough. For comparison only; use `binomial`. p is
/// clamped to [0, 1]; NaN counts as 0.
template <Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t binomial_normal_approximation(G& generator, std::uint64_t n,
                                                                    double p) {
  if (n == 0 || !(p > 0.0)) return 0;
  if (p >= 1.0) return n;
  const auto trials = static_cast<double>(n);
  const double deviation = std::sqrt(trials * p * (1.0 - p));
  const double k = std::floor(trials * p + deviation * standard_normal(generator) + 0.5);
  if (k <= 0.0) return 0;
  return k >= trials ? n : static_cast<std::uint64_t>(k);
}

}  // namespace wrsgpu::random
