// Shuffles on the GPU; shuffle.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/shuffle/gpu_shuffle_task.cuh"

namespace wrsgpu::shuffle {

/// Copies the keys in random order: out[i] = keys[p(i)], where p is a permutation that keys.size()
/// and the seed determine. Takes a single pass; the order is that of `shuffle_copy` on the host.
///
/// @tparam Key trivially copyable, of 4, 8 or 16 bytes
/// @param keys at most 2^40, in device memory, aligned to sizeof(Key)
/// @param out keys.size() elements in device memory, aligned to sizeof(Key); must not overlap
/// `keys`
/// @param seed selects the permutation
/// @param stream the stream on which the work is launched
/// @throws Error for arguments that violate these requirements
/// @note Asynchronous; no allocation.
template <class Key>
void gpu_shuffle(std::span<const Key> keys, std::span<Key> out, std::uint64_t seed,
                 cudaStream_t stream = nullptr);

/// Writes the numbers from 0 to out.size() - 1 in random order: `gpu_shuffle` of these numbers.
///
/// @tparam Number an unsigned integer of 4 or 8 bytes
/// @param out in device memory, aligned to sizeof(Number)
/// @param seed selects the permutation
/// @param stream the stream on which the work is launched
/// @throws Error as `gpu_shuffle` does, and if `Number` cannot represent out.size() - 1
/// @note Asynchronous; no allocation.
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
