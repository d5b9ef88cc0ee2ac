// Shuffles on the GPU (Mitchell and others 2021, sections 4 and 6), by name.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wrsgpu/core/device_arena.cuh"

namespace wrsgpu::shuffle {

/// What is shuffled, in device memory.
struct GpuShuffleTask {
  /// Without keys, the numbers from 0 to size - 1 are shuffled: the permutation itself.
  const void* keys = nullptr;
  void* out = nullptr;
  std::uint64_t size = 0;
  /// Bytes of a key: 4, 8 or 16, to whose multiples the memory is aligned; numbers have 4 or 8.
  unsigned key_bytes = 0;
  std::uint64_t seed = 0;
};

struct GpuShuffleMethod {
  std::string name;
  /// Where it is described, for example "section 4, Bijective2".
  std::string source;
  std::string summary;
  /// Launches it on a stream, with storage of the arena; only takes that of an arena without a
  /// block. Neither waits nor allocates, unless the summary says otherwise.
  void (*launch)(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream);
  /// False for the random gather, whose places repeat.
  bool permutes = true;
  /// Whether the same seed gives the same order each time.
  bool reproducible = true;
};

/// All of them; a new one is a file, declared in gpu_methods.cuh and listed in gpu_shuffle.cpp.
[[nodiscard]] const std::vector<GpuShuffleMethod>& gpu_shuffle_methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const GpuShuffleMethod& find_gpu_shuffle_method(std::string_view name);

/// Throws `Error` unless the task can be done: keys or numbers, of a size known, at most 2^40, in
/// device memory, aligned, and out apart from the keys.
void check(const GpuShuffleTask& task);

/// Bytes of device memory that a method needs for a task besides keys and out.
[[nodiscard]] std::size_t storage_bytes(const GpuShuffleMethod& method, const GpuShuffleTask& task);

/// Launches a method on `stream` after `check`. Throws `Error` for storage that is smaller than it
/// needs, not aligned to 256 bytes, in host memory, or not apart from keys and out, and for methods
/// that cannot do the task (dart throwing beyond 2^32 - 2 keys, bijective0 beyond 2^38, sort from
/// 2^39 on).
void launch_shuffle(const GpuShuffleMethod& method, const GpuShuffleTask& task,
                    std::span<std::byte> storage, cudaStream_t stream);

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
