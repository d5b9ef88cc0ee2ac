// The points of quasi_random.hpp, written to device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "sampling/generators/quasi_random.hpp"

namespace wrsgpu::random {

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

}  // namespace wrsgpu::random
