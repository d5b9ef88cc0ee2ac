// A kernel that begins while the one before it in its stream ends.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "wrsgpu/core/device_attribute.cuh"

namespace wrsgpu {

/// In a kernel launched by `launch_following`, before it touches what earlier kernels write: waits
/// until these have ended.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Whether kernels are compiled to wait so: all of them, since a device may run those that were
/// compiled for an earlier one.
[[nodiscard]] constexpr bool kernels_can_wait() {
#ifdef __CUDA_ARCH_LIST__
  return std::min({__CUDA_ARCH_LIST__}) >= 900;
#else
  return false;
#endif
}

/// Launches a kernel that calls `wait_for_earlier_kernels`; where the device can, its blocks take
/// their places while the kernel before it in the stream still ends, which hides most of a launch.
/// `check_launch` comes next, as after every launch.
template <class... Parameters, class... Arguments>
void launch_following(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                      cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs =
      kernels_can_wait() && device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 ? 1 : 0;
  // A failure is that of the launch, which check_launch names.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

}  // namespace wrsgpu
