// Uniform sampling without replacement on the GPU; without_replacement.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace wrsgpu::shuffle {

/// Draws out.size() distinct numbers of [0, items) in random order: out[i] = p(first + i), where p
/// is `lazy_permutation(items, seed)`. Gives the host's draws; consecutive parts of one order never
/// repeat an item.
///
/// @param items size of the population: 1 to 2^40, and small enough for the elements of `out`
/// @param out the draws, in device memory: at least one, at most items - first
/// @param seed selects the permutation
/// @param first the number of draws to skip
/// @param stream where the work is launched
/// @throws Error for arguments outside these ranges, and when `out` is in host memory
/// @note Asynchronous; no allocation.
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint32_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);

}  // namespace wrsgpu::shuffle
