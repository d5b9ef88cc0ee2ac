// Repairs splits that were found independently and do not bound sections.
#pragma once

#include <cub/block/block_scan.cuh>

#include "construction/split/task.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu::split {

/// Sets `*out_of_order` if two neighbouring splits do not bound a section. That happens only if
/// floating-point masses differ from the bucket by less than the rounding of their sums.
template <class Mass>
__global__ void find_out_of_order(SplitTask<Mass> task, int* out_of_order) {
  const Index section = blockIdx.x * blockDim.x + threadIdx.x;
  if (section >= task.sections().count()) return;
  if (!in_order(task.splits[section], task.splits[section + 1])) *out_of_order = 1;
}

namespace detail {
struct Larger {
  __device__ Index operator()(Index a, Index b) const { return a > b ? a : b; }
};
}  // namespace detail

/// One block. Repairs the splits if `find_out_of_order` has found any, otherwise does nothing. Each
/// split keeps its number of rows; running maxima, first of the heavy and then of the light items,
/// make both numbers ascend.
template <int threads, class Mass>
__global__ void __launch_bounds__(threads)
    restore_order(SplitTask<Mass> task, const int* out_of_order) {
  using Scan = cub::BlockScan<Index, threads>;
  __shared__ typename Scan::TempStorage scan_storage;
  __shared__ Index heavy_so_far;
  __shared__ Index light_so_far;
  if (*out_of_order == 0) return;
  if (threadIdx.x == 0) {
    heavy_so_far = 0;
    light_so_far = 0;
  }
  __syncthreads();
  const detail::Larger larger;
  const Sections sections = task.sections();
  const auto prefix = task.prefix_sums();
  for (std::uint64_t base = 0; base <= sections.count(); base += threads) {
    const std::uint64_t split = base + threadIdx.x;
    const bool is_split = split <= sections.count();
    const Index rows = is_split ? sections.start(static_cast<Index>(split)) : sections.size;
    Index heavy = is_split ? task.splits[split].heavy : 0;
    Scan(scan_storage).InclusiveScan(heavy, heavy, larger);
    heavy = larger(heavy, heavy_so_far);
    Index light = is_split ? rows - heavy : 0;
    __syncthreads();
    Scan(scan_storage).InclusiveScan(light, light, larger);
    light = larger(light, light_so_far);
    if (is_split) task.splits[split] = state_with(prefix, rows - light, rows);
    __syncthreads();
    if (threadIdx.x == threads - 1) {
      heavy_so_far = heavy;
      light_so_far = light;
    }
    __syncthreads();
  }
}

/// Launches both kernels for floating-point masses; integer masses are exact and need neither.
inline void restore_order(const AnySplitTask& any, DeviceArena& arena, cudaStream_t stream) {
  const auto* task = std::get_if<SplitTask<double>>(&any);
  if (task == nullptr) return;
  auto* out_of_order = arena.take<int>(1);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(out_of_order, 0, sizeof *out_of_order, stream));
  find_out_of_order<<<blocks_for(task->max_splits(), 256), 256, 0, stream>>>(*task, out_of_order);
  check_launch("split::find_out_of_order");
  constexpr int threads = 1024;
  restore_order<threads><<<1, threads, 0, stream>>>(*task, out_of_order);
  check_launch("split::restore_order");
}

}  // namespace wrsgpu::split
