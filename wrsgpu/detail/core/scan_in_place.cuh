// Inclusive scan with its own temporary storage, for code that is not timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <functional>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu {

/// Inclusive scan of `values` (device memory) by `combine`.
///
/// @note Synchronises.
template <class T, class Combine = std::plus<>>
void scan_in_place(std::span<T> values, Combine combine = {}) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(
      cub::DeviceScan::InclusiveScan(nullptr, bytes, values.data(), values.data(), combine, count));
  DeviceBuffer<std::byte> storage(bytes);
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveScan(storage.data(), bytes, values.data(),
                                                   values.data(), combine, count));
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace wrsgpu
