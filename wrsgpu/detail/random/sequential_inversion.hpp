// Inversion of a distribution on 0, 1, 2 ... by adding up its probabilities.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::random::detail {

/// The first k at which the probabilities of 0 to k exceed a uniform deviate.
///
/// @param none the probability of 0
/// @param mean of the distribution, beyond which probabilities decrease
/// @param ratio `ratio(k)` is that of the probabilities of k + 1 and k
template <class Ratio, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t invert(G& generator, double none, double mean,
                                             const Ratio& ratio) {
  for (;;) {
    double u = uniform_double(generator);
    double mass = none;
    for (std::uint64_t k = 0;;) {
      if (u < mass) return k;
      // The rest of the tail (nothing, beyond the last outcome) is far below the last bit of u: u
      // is one of the few words that rounding has moved beyond the end. Draws another one.
      if (static_cast<double>(k) > mean && mass < 0x1p-70) break;
      u -= mass;
      mass *= ratio(k);
      ++k;
    }
  }
}

}  // namespace wrsgpu::random::detail
