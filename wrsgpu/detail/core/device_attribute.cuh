// Attributes of the current device.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

[[nodiscard]] inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
  WRSGPU_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

}  // namespace wrsgpu
