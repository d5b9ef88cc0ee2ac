// Every CUDA call and every launch is checked, in every build type.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

namespace detail {
/// Clears the error of a failed call, so that the next check does not report it. For destructors,
/// which cannot throw.
inline void ignore_failure(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

/// Throws `CudaError` with `what` and CUDA's reason unless `status` is success.
inline void require_success(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  ignore_failure(status);
  throw CudaError(std::string("CUDA: ") + what + " failed: " + cudaGetErrorString(status));
}

/// `require_success` for an allocation: throws `OutOfMemory` when `call` could not allocate `bytes`
/// of `memory`.
inline void require_memory(cudaError_t status, std::size_t bytes, const char* memory,
                           const char* call) {
  if (status == cudaErrorMemoryAllocation) {
    ignore_failure(status);
    throw OutOfMemory("out of memory: " + std::to_string(bytes) + " bytes of " + memory +
                      " refused");
  }
  require_success(status, call);
}
}  // namespace detail

/// Must be called right after a kernel launch. Builds without NDEBUG also synchronise, so that a
/// failure of the kernel is reported here, not at a later call. CUDA graphs can capture launches
/// only in builds with NDEBUG (such as CMake's Release).
inline void check_launch(const char* kernel) {
  detail::require_success(cudaGetLastError(), kernel);
#ifndef NDEBUG
  detail::require_success(cudaDeviceSynchronize(), kernel);
#endif
}

}  // namespace wrsgpu

/// Runs a CUDA runtime call and throws `CudaError` with its text if it fails.
#define WRSGPU_CUDA_CHECK(call) ::wrsgpu::detail::require_success((call), #call)
