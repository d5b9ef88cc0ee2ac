// Shuffles on the GPU; their twin on the host is in shuffle.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/shuffle/gpu_shuffle_task.cuh"

namespace wrsgpu::shuffle {

/// Launches on `stream` what writes the keys in random order: out[i] = keys[p(i)], p being
/// `lazy_permutation(keys.size(), seed)`. No storage, one pass, the host's order
/// (`shuffle_copy`). Throws what `check` does, and when the sizes differ.
template <class Key>
void gpu_shuffle(std::span<const Key> keys, std::span<Key> out, std::uint64_t seed,
                 cudaStream_t stream = nullptr);

/// Launches the same for the numbers from 0 to out.size() - 1.
template <class Number>
void gpu_permutation(std::span<Number> out, std::uint64_t seed, cudaStream_t stream = nullptr);

namespace detail {
void shuffle_checked(const GpuShuffleTask& task, std::uint64_t keys, cudaStream_t stream);
}

template <class Key>
void gpu_shuffle(std::span<const Key> keys, std::span<Key> out, std::uint64_t seed,
                 cudaStream_t stream) {
  static_assert(std::is_trivially_copyable_v<Key>);
  static_assert(sizeof(Key) == 4 || sizeof(Key) == 8 || sizeof(Key) == 16);
  detail::shuffle_checked({keys.data(), out.data(), out.size(), sizeof(Key), seed}, keys.size(),
                          stream);
}

template <class Number>
void gpu_permutation(std::span<Number> out, std::uint64_t seed, cudaStream_t stream) {
  static_assert(std::is_unsigned_v<Number> && (sizeof(Number) == 4 || sizeof(Number) == 8));
  detail::shuffle_checked({nullptr, out.data(), out.size(), sizeof(Number), seed}, out.size(),
                          stream);
}

}  // namespace wrsgpu::shuffle
