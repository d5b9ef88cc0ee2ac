// Makes the rows of all tiles.
#pragma once

#include "wrsgpu/construction/merge/tile.cuh"

namespace wrsgpu::merge {

/// Asks for the weights of the tile that a block will have that starts when this one ends. Waiting
/// for memory is a tenth of a block's time.
template <class T>
__device__ void prefetch_later_tile(const T* weights, Index items, const Index* order) {
  Index multiprocessors;
  asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
  const Index later = blockIdx.x + resident_blocks * multiprocessors;
  if (later >= gridDim.x) return;
  constexpr Index line = 128;
  constexpr Index line_items = line / sizeof(T);
  const std::uint64_t first = std::uint64_t{order[later]} * mass_tile_items;
  for (Index i = threadIdx.x * line_items; i < mass_tile_items; i += threads * line_items) {
    if (first + i < items) asm volatile("prefetch.global.L2 [%0];" ::"l"(weights + first + i));
  }
}

/// Makes the rows of all tiles but those of items handed on; a block for each tile, first for those
/// with an excess.
template <class T, class Rows>
__global__ void __launch_bounds__(threads, resident_blocks)
    make_rows(const T* weights, Index items, const MassTile* tiles,
              const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on, Rows rows) {
  __shared__ TileStorage<T> storage;
  const Index number = balance.order[blockIdx.x];
  prefetch_later_tile(weights, items, balance.order);
  const MassTile summed = tiles[number];
  Tile<T, Rows> tile(storage, rows, number, items);
  tile.read(weights, items, summed, summary->fit);
  if (summed.mass > tile_capacity(number, items)) {
    tile.merge_and_hand_on(balance, handed_on, blockIdx.x);
  } else {
    tile.merge_with_others(balance, handed_on, balance.tiles - 1 - blockIdx.x);
  }
}

}  // namespace wrsgpu::merge
