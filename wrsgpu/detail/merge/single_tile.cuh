// A table of a single tile in one launch: nothing is exported, so there is nothing to balance.
#pragma once

#include <cub/util_type.cuh>

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/masses/sum_tile.cuh"
#include "wrsgpu/detail/merge/tile_rows.cuh"

namespace wrsgpu::merge {

/// By one block, which reads the weights once.
template <class T, class Rows>
__global__ void __launch_bounds__(few_tiles_threads)
    build_single_tile(const T* weights, Index items, MassTile* tile, DeviceWeightSummary* summary,
                      Rows rows) {
  using Summation = TileSummation<T, few_tiles_threads>;
  using Shape = TileShape<few_tiles_threads>;
  union Storage {
    typename Summation::Storage summation;
    TileStorage<T, Shape> tile;
  };
  __shared__ cub::Uninitialized<Storage> storage;
  __shared__ cub::Uninitialized<SummedTile> summed;
  __shared__ cub::Uninitialized<MassTile> masses;
  __shared__ bool valid;
  grid_dependency_sync();
  T weight[Shape::thread_items];
  const NeighbourItems all(0, items);
  load_tile<TileOrder::blocked>(weights, all, weight);
  const SummedTile found = Summation::of(storage.Alias().summation, weights, all, weight, [] {});
  if (threadIdx.x == 0) summed.Alias() = found;
  __syncthreads();
  // Two long computations, on two warps in parallel.
  if (threadIdx.x == 0) masses.Alias() = MassTile(found.total, tile_capacity(0, items));
  if (threadIdx.x == 32) {
    const DeviceWeightSummary checked = summary_of(summed.Alias(), summed.Alias().total.sum, items);
    valid = checked.valid;
    *summary = checked;
    *tile = finished_tile(0, items, summed.Alias(), checked.valid, tile_capacity(0, items));
  }
  __syncthreads();
  TileRows<T, Rows, Shape, NeighbourMap> table(storage.Alias().tile, rows, 0, all);
  table.use(weight, masses.Alias(), valid);
  table.merge_alone();
}

}  // namespace wrsgpu::merge
