// Uniform sampling without replacement on the GPU; its twin on the host is in
// without_replacement.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace wrsgpu::shuffle {

/// Launches on `stream` what writes draws `first`, `first` + 1, ... of all `items` items in random
/// order, without replacement, to `out` (device memory): out[i] = p(first + i), p being
/// `lazy_permutation(items, seed)`. The host's draws; no memory but that of `out`. Pieces of one
/// order never repeat an item. Throws `Error` for an empty `out` or one in host
/// memory, for more draws than there are items left, and for items that do not fit in `out` or
/// beyond 2^40.
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint32_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);
void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                    std::uint64_t seed, std::uint64_t first = 0,
                                    cudaStream_t stream = nullptr);

}  // namespace wrsgpu::shuffle
