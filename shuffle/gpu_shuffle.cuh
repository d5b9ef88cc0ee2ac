// Shuffles on the GPU (Mitchell and others 2021, sections 4 and 6), by name.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/shuffle/gpu_shuffle_task.cuh"

namespace wrsgpu::shuffle {

struct GpuShuffleMethod {
  std::string name;
  /// Publication and section, for example "section 4, Bijective2".
  std::string source;
  std::string summary;
  /// Launches the method. Follows the conventions of `DeviceArena`. Asynchronous and without
  /// allocation, unless the summary says otherwise.
  void (*launch)(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream);
  /// False for the random gather, whose places repeat.
  bool permutes = true;
  /// True if the same seed always gives the same order.
  bool reproducible = true;
};

/// All methods. A new one is a file, declared in gpu_methods.cuh and listed in gpu_shuffle.cpp.
[[nodiscard]] const std::vector<GpuShuffleMethod>& gpu_shuffle_methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const GpuShuffleMethod& find_gpu_shuffle_method(std::string_view name);

/// Bytes of device memory that a method needs for a task besides keys and output.
[[nodiscard]] std::size_t storage_bytes(const GpuShuffleMethod& method, const GpuShuffleTask& task);

/// Launches a method on `stream` after `check`.
///
/// @throws Error for storage that is too small, not aligned to 256 bytes, in host memory, or
///   overlaps keys or output, and for tasks that the method does not support (dart throwing beyond
///   2^32 - 2 keys, bijective0 beyond 2^38, sort from 2^39 on)
void launch_shuffle(const GpuShuffleMethod& method, const GpuShuffleTask& task,
                    std::span<std::byte> storage, cudaStream_t stream);

}  // namespace wrsgpu::shuffle
