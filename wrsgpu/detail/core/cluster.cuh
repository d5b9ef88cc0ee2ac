// Blocks that are one cluster: they wait for each other, and write to each other's shared memory.
#pragma once

#include <cooperative_groups.h>

#include "wrsgpu/detail/core/programmatic_launch.cuh"

namespace wrsgpu {

/// How many blocks of a kernel may be one cluster, more than 8 where the device has room for them;
/// 1 where there are no clusters.
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

/// Whether the blocks of the grid are one cluster; of one block, true.
[[nodiscard]] __device__ inline bool is_one_cluster() {
#if __CUDA_ARCH__ >= 900
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  return blocks == gridDim.x;
#else
  return gridDim.x == 1;
#endif
}

/// Threads of a cluster wait for each other, and see what all have written before: first each says
/// that it has come, then it waits for the others.
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

/// Where another block of the cluster has what is at `own` in shared memory here.
template <class T>
[[nodiscard]] __device__ T* in_cluster_block(T* own, [[maybe_unused]] unsigned block) {
#if __CUDA_ARCH__ >= 900
  return cooperative_groups::this_cluster().map_shared_rank(own, block);
#else
  return own;
#endif
}

}  // namespace wrsgpu
