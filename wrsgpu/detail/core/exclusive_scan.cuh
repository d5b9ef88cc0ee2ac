// Exclusive scan in stream order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu {

/// Replaces `values` (device memory) by the sums of all before them, with storage from the arena.
/// Follows the conventions of `DeviceArena`.
template <class Sum>
void exclusive_scan(Sum* values, std::uint64_t count, DeviceArena& arena, cudaStream_t stream) {
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values, values, count, stream));
  auto* const storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, values, values, count, stream));
}

}  // namespace wrsgpu
