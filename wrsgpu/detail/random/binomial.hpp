// Exact binomial deviates.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/binomial_btrs.hpp"
#include "wrsgpu/detail/random/binomial_inversion.hpp"

namespace wrsgpu::random {

/// Whether `binomial` uses inversion; true for NaN.
[[nodiscard]] WRSGPU_HD inline bool is_inverted(std::uint64_t n, double p) {
  return !(static_cast<double>(n) * (p < 0.5 ? p : 1.0 - p) >= 10.0);
}

/// The number of successes in `n` trials of success probability `p`: by inversion if n * min(p, 1 -
/// p) < 10, otherwise by BTRS. Any n; p is clamped to [0, 1], and NaN counts as 0. The two methods
/// document their exactness.
template <class Math = LibraryMath, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t binomial(G& generator, std::uint64_t n, double p) {
  return is_inverted(n, p) ? binomial_inversion<Math>(generator, n, p)
                           : binomial_btrs<Math>(generator, n, p);
}

}  // namespace wrsgpu::random
