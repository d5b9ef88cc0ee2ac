// Checks that memory is accessible to the device.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"

namespace wrsgpu {

/// Throws `Error` for host memory that the device cannot access, which would make a later kernel
/// fail. Does not check which device owns the memory.
///
/// @param stream that of the work: during a capture, memory that the graph will allocate is not
/// known yet, and nothing is refused
inline void require_on_device(const void* memory, const std::string& argument,
                              std::optional<cudaStream_t> stream = std::nullopt) {
  cudaPointerAttributes attributes{};
  WRSGPU_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  if (attributes.type != cudaMemoryTypeUnregistered) return;
  if (device_attribute(cudaDevAttrPageableMemoryAccess) != 0) return;
  if (stream && is_captured(*stream)) return;
  throw Error("argument '" + argument + "' is in host memory; device memory is needed");
}

}  // namespace wrsgpu
