// Uniform sampling without replacement on the GPU; without_replacement.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace wrsgpu::shuffle {

/// Draws out.size() distinct numbers from [0, items) in random order: out[i] = p(first + i), where
/// p is a permutation of [0, items) that `items` and `seed` determine. Gives the same numbers as on
/// the host; consecutive ranges [first, first + out.size()) never repeat a number.
///
/// @param items size of the population: 1 to 2^40; for 32-bit numbers 2^32
/// @param out the draws, in device memory: at least one, at most items - first
/// @param seed selects the permutation
/// @param first the number of draws to skip
/// @param stream the stream on which the work is launched
/// @throws Error for arguments outside these ranges, and if `out` is in host memory
/// @note Asynchronous; no allocation.
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint32_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);

}  // namespace wrsgpu::shuffle
