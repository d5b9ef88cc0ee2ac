// Makes the rows of all tiles.
#pragma once

#include "wrsgpu/construction/merge/tile.cuh"
#include "wrsgpu/core/following_launch.cuh"

namespace wrsgpu::merge {

/// Asks for the weights of the tile that a block will have that starts when this one ends: waiting
/// for memory is a tenth of a block's time.
template <class T>
__device__ void prefetch_later_tile(const T* weights, Index items, const Index* order) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x > 0) return;
  Index multiprocessors;
  asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
  const Index later = blockIdx.x + resident_blocks * multiprocessors;
  if (later >= gridDim.x) return;
  const std::uint64_t first = std::uint64_t{order[later]} * mass_tile_items;
  const T* const from = weights + first;
  if (first + mass_tile_items > items || reinterpret_cast<std::uintptr_t>(from) % 16 > 0) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "n"(mass_tile_items * sizeof(T)));
#endif
}

/// Makes the rows of all tiles but those of items handed on; a block for each tile, first for those
/// with an excess.
template <class T, class Rows>
__global__ void __launch_bounds__(threads, resident_blocks)
    make_rows(const T* weights, Index items, const MassTile* tiles,
              const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on, Rows rows) {
  __shared__ TileStorage<T> storage;
  wait_for_earlier_kernels();
  const Index number = balance.order[blockIdx.x];
  const Index donor_tiles = *balance.excess_count;
  // Loaded before they are needed.
  const Index place = balance.tiles - 1 - blockIdx.x;
  const bool lacks = blockIdx.x >= donor_tiles;
  const Lacking lacking{donor_tiles, lacks ? balance.donor_tile[place] : 0,
                        lacks ? balance.lack_before[place] : 0};
  Tile<T, Rows> tile(storage, rows, number, items);
  prefetch_later_tile(weights, items, balance.order);
  tile.read(weights, items, tiles[number], summary->fit);
  if (lacks) {
    tile.merge_with_others(balance, handed_on, lacking);
  } else {
    tile.merge_and_hand_on(balance, handed_on, blockIdx.x);
  }
}

}  // namespace wrsgpu::merge
