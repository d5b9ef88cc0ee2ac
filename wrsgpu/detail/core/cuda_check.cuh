// Every CUDA call and every launch is checked, in every build type.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

namespace detail {
/// Lets a failed call not show up again in the next check. Destructors, which cannot throw, use it
/// in place of a check.
inline void ignore_failure(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

/// Throws `Error` naming `what` and CUDA's reason unless `status` is success.
inline void require_success(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  ignore_failure(status);
  throw Error(std::string("CUDA: ") + what + " failed: " + cudaGetErrorString(status));
}

/// `require_success` for `call`, which was to allocate so many `bytes` of `memory`: throws
/// `OutOfMemory` where they were refused.
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

/// Call right after a kernel launch. Builds without NDEBUG also wait for the kernel, so that its
/// own failure is reported here and not at some later call; a CUDA graph can capture launches in
/// builds with NDEBUG (as CMake's Release) only.
inline void check_launch(const char* kernel) {
  detail::require_success(cudaGetLastError(), kernel);
#ifndef NDEBUG
  detail::require_success(cudaDeviceSynchronize(), kernel);
#endif
}

}  // namespace wrsgpu

/// Runs a CUDA runtime call and throws `Error` with its text when it fails.
#define WRSGPU_CUDA_CHECK(call) ::wrsgpu::detail::require_success((call), #call)
