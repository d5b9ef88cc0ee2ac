// What is left when all tiles have been looked at.
#pragma once

#include "wrsgpu/detail/lane_sweep/kernel.cuh"
#include "wrsgpu/detail/merge/tile_kernel.cuh"

namespace wrsgpu::lane_sweep {

/// Where a block has one tile after which it has none.
struct NoNextTile {
  [[nodiscard]] static __device__ bool has_next() { return false; }
  [[nodiscard]] static __device__ Index next() { return Task::none; }
  static __device__ void prepare_next(Task& task) {
    if (threadIdx.x % lanes == 0) task.number = Task::none;
  }
};

/// Makes the rows of so many crowded tiles, by `block_threads` of each block. A function of its
/// own: inlined, it made the merge below slower.
template <class T, class Rows>
__device__ __noinline__ void make_rows_of_crowded_tiles(const SweepInput<T>& input, Index count,
                                                        TileMemory<most_received>& memory,
                                                        const Rows& rows) {
  for (Index k = blockIdx.x; k < count; k += gridDim.x) {
    if (threadIdx.x == 0) memory.task = input.crowded[k];
    __syncthreads();
    copy_weights(input, memory);
    RowMask gone = gone_of(input, memory.task);
    NoNextTile next;
    make_rows_of_tile(input, memory, next, gone, rows);
    __syncthreads();
  }
}

/// A block has one of them.
template <class T, class Shape>
union RemainingStorage {
  TileMemory<most_received> swept;
  merge::TileStorage<T, Shape> merged;
};

/// Makes the rows of the crowded tiles; where weights are unsuited, all rows, by a merge. Any
/// number of blocks.
template <class T, class Rows, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    make_remaining_rows(const __grid_constant__ SweepInput<T> input, const MassTile* tiles,
                        const DeviceWeightSummary* summary, const merge::HandedOn handed_on,
                        const Rows rows) {
  static_assert(Shape::threads >= block_threads);
  __shared__ RemainingStorage<T, Shape> storage;
  wait_for_earlier_kernels();
  const Index count = *input.balance.crowded_count;
  if (count == 0) return;
  if (count >= merge::Balance::merge_all) {
    merge::make_all_rows(storage.merged, input.weights, input.items, tiles, summary, input.balance,
                         handed_on, rows);
  } else if (threadIdx.x < block_threads) {
    // Barriers do not wait for the other threads, which have ended.
    make_rows_of_crowded_tiles(input, count, storage.swept, rows);
  }
}

}  // namespace wrsgpu::lane_sweep
