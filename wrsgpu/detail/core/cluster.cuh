// Thread block clusters: barriers and distributed shared memory.
#pragma once

#include <cooperative_groups.h>

#include "wrsgpu/detail/core/programmatic_launch.cuh"

namespace wrsgpu {

/// Maximum cluster size of a kernel in blocks, above 8 where the device allows it; 1 without
/// clusters.
template <class... Parameters>
[[nodiscard]] unsigned cluster_blocks_of(void (*kernel)(Parameters...), unsigned threads) {
  if (!supports_programmatic_launch()) return 1;
  WRSGPU_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = threads;
  int maximum = 1;
  WRSGPU_CUDA_CHECK(cudaOccupancyMaxPotentialClusterSize(&maximum, kernel, &config));
  return static_cast<unsigned>(maximum);
}

/// Returns whether the grid is a single cluster; true for one block.
[[nodiscard]] __device__ inline bool is_one_cluster() {
#if __CUDA_ARCH__ >= 900
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  return blocks == gridDim.x;
#else
  return gridDim.x == 1;
#endif
}

/// Barrier of all threads of a cluster (arrive, then wait), after which each sees the others'
/// earlier writes.
__device__ inline void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
__device__ inline void sync_cluster() {
  arrive_at_cluster();
  wait_for_cluster();
}

/// Maps the shared-memory address `own` to another block of the cluster.
template <class T>
[[nodiscard]] __device__ T* in_cluster_block(T* own, [[maybe_unused]] unsigned block) {
#if __CUDA_ARCH__ >= 900
  return cooperative_groups::this_cluster().map_shared_rank(own, block);
#else
  return own;
#endif
}

}  // namespace wrsgpu
