// A kernel that begins while the one before it in its stream ends.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// In a kernel launched by `launch_programmatic`, before it touches what earlier kernels write:
/// waits until these have ended. What they only read, or had waited for, it may touch before.
__device__ inline void grid_dependency_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// In the same kernel, behind `grid_dependency_sync`, or anywhere in one that is launched as usual
/// and so begins when all before it have ended: when each block has called it or has ended, the
/// next kernel of the stream, if launched by `launch_programmatic`, may begin where there is room.
/// What kernels before this one have written it may touch at once; for this one it waits as always.
__device__ inline void trigger_launch_completion() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Whether kernels are compiled to wait so: all of them, since a device may run those that were
/// compiled for an earlier one.
[[nodiscard]] constexpr bool compiled_for_programmatic_launch() {
#ifdef __CUDA_ARCH_LIST__
  return std::min({__CUDA_ARCH_LIST__}) >= 900;
#else
  return false;
#endif
}

/// Whether the device waits for kernels so, and has clusters of blocks.
[[nodiscard]] inline bool supports_programmatic_launch() {
  return compiled_for_programmatic_launch() &&
         device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

/// Blocks of a launch, their threads and their dynamic shared memory.
struct LaunchShape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
};

/// How blocks of a launch wait for each other: not at all, as one cluster, or as a grid.
enum class SyncScope { block, cluster, grid };

/// Launches a kernel that calls `grid_dependency_sync`; where the device can, its blocks take their
/// places while the kernel before it in the stream still ends, which hides most of a launch; and
/// all of them may wait for each other, as one cluster (wrsgpu/detail/core/cluster.cuh), or as a
/// grid that begins when there is room for all of it. `check_launch` comes next, as after every
/// launch.
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
  // A failure is that of the launch, which check_launch names.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

}  // namespace wrsgpu
