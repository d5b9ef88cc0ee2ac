// One-dimensional quasi-random points, as 64-bit words for the monotone methods (thesis 1.1, 2.7):
// the point is word / 2^64.
#pragma once

#include <cuda_runtime_api.h>

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

/// Sets words[k] to point first + k of the Halton sequence of `base`. Throws `Error` for a base
/// less than 2, and for points that `radical_inverse` does not support.
///
/// @note Asynchronous.
void halton_words(std::uint32_t base, std::uint64_t first, std::span<std::uint64_t> words,
                  cudaStream_t stream);

/// Sets words[k] to point first + k of cuRAND's 64-bit Sobol generator in the dimension of the 64
/// `directions` (device memory), one of the vectors from curandGetDirectionVectors64(). Throws
/// `Error` for points after the last.
///
/// @note Asynchronous.
void sobol_words(std::span<const unsigned long long, 64> directions, std::uint64_t first,
                 std::span<std::uint64_t> words, cudaStream_t stream);

/// The direction vectors of Sobol's first dimension.
void first_sobol_directions(std::span<unsigned long long, 64> directions);

}  // namespace wrsgpu::random
