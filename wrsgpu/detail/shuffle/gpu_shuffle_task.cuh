// Arguments of the GPU shuffles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace wrsgpu::shuffle {

/// One shuffle of an array in device memory.
struct GpuShuffleTask {
  /// If null, the numbers from 0 to size - 1 are shuffled: the output is the permutation itself.
  const void* keys = nullptr;
  void* out = nullptr;
  std::uint64_t size = 0;
  /// Bytes per key: 4, 8 or 16; numbers have 4 or 8. The memory is aligned to a multiple of it.
  unsigned key_bytes = 0;
  std::uint64_t seed = 0;
};

/// Throws `Error` for an invalid task. A valid one has keys or numbers of a supported size, at most
/// 2^40 of them, in aligned device memory, and an output that does not overlap the keys.
void check(const GpuShuffleTask& task);

namespace detail {
/// Launches the gather from the places of `lazy_permutation(task.size, task.seed)`.
void launch_cycle_walk(const GpuShuffleTask& task, cudaStream_t stream);
/// Returns whether two ranges of memory overlap.
[[nodiscard]] bool overlap(const void* first, std::uint64_t first_bytes, const void* second,
                           std::uint64_t second_bytes);
/// Throws `Error` unless `memory` is aligned to `bytes`.
void require_aligned(const void* memory, unsigned bytes, const char* argument);
}  // namespace detail

}  // namespace wrsgpu::shuffle
