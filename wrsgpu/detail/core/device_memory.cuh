// Checks that memory is accessible to the device.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Throws `Error` for host memory that the device cannot access, which would make a later kernel
/// fail. Does not check which device owns the memory.
inline void require_on_device(const void* memory, const std::string& argument) {
  cudaPointerAttributes attributes{};
  WRSGPU_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  if (attributes.type != cudaMemoryTypeUnregistered) return;
  if (device_attribute(cudaDevAttrPageableMemoryAccess) != 0) return;
  throw Error("argument '" + argument + "' is in host memory; device memory is needed");
}

}  // namespace wrsgpu
