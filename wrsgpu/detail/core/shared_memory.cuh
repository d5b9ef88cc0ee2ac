// Limits on a block's shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Maximum shared memory of a block, in bytes, less `reserved`.
[[nodiscard]] inline std::size_t max_shared_bytes(std::size_t reserved) {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
         reserved;
}

/// Raises the shared-memory limit of a kernel to the maximum, not to the needs of one launch: the
/// limit is a property of the kernel, shared by all host threads.
template <class Kernel>
void allow_all_shared_memory(Kernel kernel) {
  cudaFuncAttributes attributes{};
  WRSGPU_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  WRSGPU_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(max_shared_bytes(attributes.sharedSizeBytes))));
}

}  // namespace wrsgpu
