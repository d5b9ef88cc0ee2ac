// Programmatic dependent launch: a kernel that starts while the preceding kernel of the stream
// ends.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Waits until earlier kernels have ended. Must be called in a kernel launched by
/// `launch_programmatic` before it accesses data that they write. Data that earlier kernels only
/// read, or for which they themselves have waited, may be accessed before.
__device__ inline void grid_dependency_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel of the stream start early, if it is launched by `launch_programmatic`: it
/// may start where there is room once each block has called this function or has ended. Must be
/// called after `grid_dependency_sync` in the same kernel, or anywhere in a kernel that is launched
/// normally and so starts after all earlier ones have ended. The next kernel may access the output
/// of earlier kernels at once, but must wait for that of the calling kernel.
__device__ inline void trigger_launch_completion() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Whether all architectures for which kernels are compiled support it: a device may run code
/// compiled for an earlier one.
[[nodiscard]] constexpr bool compiled_for_programmatic_launch() {
#ifdef __CUDA_ARCH_LIST__
  return std::min({__CUDA_ARCH_LIST__}) >= 900;
#else
  return false;
#endif
}

/// Whether the device supports programmatic dependent launch and clusters.
[[nodiscard]] inline bool supports_programmatic_launch() {
  return compiled_for_programmatic_launch() &&
         device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

/// Launch shape: blocks, threads per block, bytes of dynamic shared memory per block.
struct LaunchShape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
};

/// Synchronisation among the blocks of a launch: none, as one cluster, or across the grid.
enum class SyncScope { block, cluster, grid };

/// Launches a kernel that calls `grid_dependency_sync`. If the device supports it, blocks become
/// resident while the preceding kernel is still ending, which hides most of the launch latency. All
/// blocks may synchronise with each other, as one cluster (wrsgpu/detail/core/cluster.cuh) or as a
/// cooperative grid, which starts when there is room for all of it. As after every launch, the
/// caller must call `check_launch` next.
template <SyncScope scope = SyncScope::block, class... Parameters, class... Arguments>
void launch_programmatic(void (*kernel)(Parameters...), const LaunchShape& shape,
                         cudaStream_t stream, const Arguments&... arguments) {
  std::array<cudaLaunchAttribute, 2> attributes{};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  if (supports_programmatic_launch()) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if constexpr (scope == SyncScope::cluster) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {shape.blocks, 1, 1};
  }
  if constexpr (scope == SyncScope::grid) {
    cudaLaunchAttribute& grid = attributes[config.numAttrs++];
    grid.id = cudaLaunchAttributeCooperative;
    grid.val.cooperative = 1;
  }
  // check_launch reports a failure as that of the launch.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

}  // namespace wrsgpu
