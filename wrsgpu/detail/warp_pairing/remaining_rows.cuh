// The kernel that writes the rows that the main kernel did not.
#pragma once

#include "wrsgpu/detail/merge/deficit_exports.cuh"
#include "wrsgpu/detail/merge/tile_kernel.cuh"
#include "wrsgpu/detail/warp_pairing/kernel.cuh"

namespace wrsgpu::warp_pairing {

/// Stands for the queue of tiles in a loop that processes one tile at a time.
struct NoNextTile {
  [[nodiscard]] static __device__ bool has_next() { return false; }
  [[nodiscard]] static __device__ Index next() { return PairingTask::none; }
  static __device__ void prepare_next(PairingTask& task) {
    if (threadIdx.x % lanes == 0) task.number = PairingTask::none;
  }
};

/// Writes the rows of `count` overflow tiles, by `block_threads` threads of each block. Not
/// inlined, because inlining slowed down the merge below.
template <class Map, class T, class Rows>
__device__ __noinline__ void make_rows_of_overflow_tiles(const SweepInput<T>& input, Index count,
                                                         TileMemory<max_received>& memory,
                                                         const Rows& rows) {
  for (Index k = blockIdx.x; k < count; k += gridDim.x) {
    if (threadIdx.x == 0) memory.task = input.overflow_tiles[k];
    __syncthreads();
    copy_weights<Map>(input, memory);
    RowMask exported_mask = exported_mask_of(input, memory.task);
    NoNextTile next;
    make_rows_of_tile<Map>(input, memory, next, exported_mask, rows);
    __syncthreads();
  }
}

/// A block uses one of the two.
template <class T, class Shape>
union RemainingStorage {
  TileMemory<max_received> pairing;
  merge::TileStorage<T, Shape> merged;
};

/// All rows of interleaved tiles by merge path. Not inlined either: the kernel's registers are for
/// tiles of neighbours.
template <class T, class Rows, class Shape>
__device__ __noinline__ void merge_interleaved(merge::TileStorage<T, Shape>& storage,
                                               const SweepInput<T>& input, const MassTile* tiles,
                                               const DeviceWeightSummary* summary,
                                               const merge::MergeExports& exported,
                                               const Rows& rows) {
  merge::make_all_rows<InterleavedMap, T, Rows, Shape>(storage, input.weights, tiles, summary,
                                                       input.balance, exported, rows);
}

/// All rows by exports of deficits. Returns whether these support the weights.
template <class Map, class T, class Rows, class Shape>
[[nodiscard]] __device__ __noinline__ bool export_deficits(merge::TileStorage<T, Shape>& storage,
                                                           const SweepInput<T>& input,
                                                           const MassTile* tiles,
                                                           const DeviceWeightSummary* summary,
                                                           const Rows& rows) {
  static_assert(merge::deficit_exports::max_exported <= tile_groups,
                "in the memory of `PairingExports`");
  const merge::DeficitExports exported{input.exported.item, input.exported.inclusive_sum};
  return merge::make_all_rows_by_deficits<Map, T, Rows, Shape>(
      storage, input.weights, tiles, summary, input.balance, exported, rows);
}

/// Writes the rows of the overflow tiles; for unsupported weights, all rows, by merge path, of
/// those that are mostly heavy with exports of deficits if possible. Any number of resident blocks.
template <class T, class Rows, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    make_remaining_rows(const __grid_constant__ SweepInput<T> input, const MassTile* tiles,
                        const DeviceWeightSummary* summary, const merge::MergeExports exported,
                        const Rows rows) {
  static_assert(Shape::threads >= block_threads);
  __shared__ RemainingStorage<T, Shape> storage;
  grid_dependency_sync();
  trigger_launch_completion();
  const Index count = *input.balance.overflow_count;
  if (count == 0) return;
  input.balance.map.visit([&]<class Map>(const Map& /*tiles*/) {
    if (count == merge::Balance::merge_deficits &&
        export_deficits<Map>(storage.merged, input, tiles, summary, rows)) {
      return;
    }
    if (count >= merge::Balance::merge_all) {
      if constexpr (Map::is_interleaved) {
        merge_interleaved(storage.merged, input, tiles, summary, exported, rows);
      } else {
        merge::make_all_rows<Map, T, Rows, Shape>(storage.merged, input.weights, tiles, summary,
                                                  input.balance, exported, rows);
      }
    } else if (threadIdx.x < block_threads) {
      // Barriers do not wait for the other threads, which have exited.
      make_rows_of_overflow_tiles<Map>(input, count, storage.pairing, rows);
    }
  });
}

}  // namespace wrsgpu::warp_pairing
