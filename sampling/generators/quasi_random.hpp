// One-dimensional quasi-random points, as 64-bit words for the monotone methods (thesis 1.1, 2.7):
// the point is word / 2^64.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"

namespace wrsgpu::random {

/// The van der Corput sequence, the components of the Halton sequence: the digits of `index` to
/// base `base` >= 2, mirrored at the radix point. Rounded down to a multiple of 2^-64. Requires
/// index * base < 2^64.
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t radical_inverse(std::uint64_t index,
                                                                std::uint32_t base) {
  std::uint64_t mirrored = 0;
  WideInteger power = 1;
  for (; index > 0; index /= base) {
    mirrored = mirrored * base + index % base;
    power *= base;
  }
  return static_cast<std::uint64_t>((static_cast<WideInteger>(mirrored) << 64) / power);
}

/// Point `index` of the Sobol sequence in the dimension of the directions: the exclusive or of
/// those whose bits the Gray code of `index` has. Of the first dimension, any 2^k points from a
/// multiple of 2^k on have one point in each interval [i / 2^k, (i + 1) / 2^k).
[[nodiscard]] inline std::uint64_t sobol_word(std::span<const unsigned long long, 64> directions,
                                              std::uint64_t index) {
  std::uint64_t word = 0;
  std::uint64_t gray = index ^ (index >> 1);
  for (unsigned bit = 0; gray != 0; ++bit, gray >>= 1) {
    if ((gray & 1) != 0) word ^= directions[bit];
  }
  return word;
}

/// The direction vectors of Sobol's first dimension.
inline void first_sobol_directions(std::span<unsigned long long, 64> directions) {
  for (unsigned i = 0; i < directions.size(); ++i) directions[i] = 1ULL << (63 - i);
}

}  // namespace wrsgpu::random
