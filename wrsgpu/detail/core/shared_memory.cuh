// How much shared memory a block can have.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Shared memory that a block can have, in bytes, less what is `reserved`.
[[nodiscard]] inline std::size_t max_shared_bytes(std::size_t reserved) {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
         reserved;
}

/// Lets the blocks of a kernel have all the shared memory that a block can have. Not only what one
/// launch needs: the limit is the kernel's, for all threads of the host.
template <class Kernel>
void allow_all_shared_memory(Kernel kernel) {
  cudaFuncAttributes attributes{};
  WRSGPU_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  WRSGPU_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(max_shared_bytes(attributes.sharedSizeBytes))));
}

}  // namespace wrsgpu
