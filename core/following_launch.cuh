// A kernel that begins while the one before it in its stream ends.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

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

/// Whether the device waits for kernels so, and has clusters of blocks.
[[nodiscard]] inline bool device_can_wait() {
  return kernels_can_wait() && device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

/// Launches a kernel that calls `wait_for_earlier_kernels`; where the device can, its blocks take
/// their places while the kernel before it in the stream still ends, which hides most of a launch;
/// and with `as_cluster` all of them are one cluster (core/cluster.cuh).
/// `check_launch` comes next, as after every launch.
template <bool as_cluster = false, class... Parameters, class... Arguments>
void launch_following(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                      cudaStream_t stream, const Arguments&... arguments) {
  std::array<cudaLaunchAttribute, 2> attributes{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = !device_can_wait() ? 0 : as_cluster ? 2 : 1;
  // A failure is that of the launch, which check_launch names.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

}  // namespace wrsgpu
