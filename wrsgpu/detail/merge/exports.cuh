// The heavy items that tiles with an excess export to those that lack mass.
#pragma once

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::merge {

/// Arrays of exported items (device memory): the k-th item that a tile exports is at index `tile *
/// mass_tile_items + k`. The excesses have no array: until an item's row is written, its slot in
/// the table holds the inclusive sum of the excesses that its tile exports.
struct MergeExports {
  std::uint16_t* item;  ///< the item's number in its tile
  /// Own part of the item's row, set by the tile that uses the item up. 0 stands for 2^32 if the
  /// item's sum equals the deficits of the tiles up to and including that one: they use it up
  /// exactly.
  Index* own;

  [[nodiscard]] static MergeExports take(DeviceArena& arena, Index items) {
    return {arena.take<std::uint16_t>(items), arena.take<Index>(items)};
  }
  /// Bytes for this many items.
  [[nodiscard]] static std::size_t bytes(Index items) {
    return items * (sizeof(*own) + sizeof(*item));
  }
  /// In memory aligned to 4 bytes.
  [[nodiscard]] static MergeExports at(void* memory, Index items) {
    auto* const own = static_cast<Index*>(memory);
    return {reinterpret_cast<std::uint16_t*>(own + items), own};
  }
};

/// The first 64 bits of a row's slot.
[[nodiscard]] __device__ inline std::uint64_t& slot(const CompactRows& rows, Index i) {
  return *reinterpret_cast<std::uint64_t*>(rows.data() + i);
}
[[nodiscard]] __device__ inline std::uint64_t& slot(const WideRows& rows, Index i) {
  return *reinterpret_cast<std::uint64_t*>(rows.data() + i);
}
[[nodiscard]] __device__ inline std::uint64_t& slot(const ArrayRows& rows, Index i) {
  return *reinterpret_cast<std::uint64_t*>(rows.weights() + i);
}

inline constexpr Index store_block_threads = 512;

/// Calls `use` with the map of the tiles. Few tiles are never interleaved.
template <bool are_few, class Use>
__device__ void visit_map(const Balance& balance, const Use& use) {
  if constexpr (are_few) {
    use(NeighbourMap{balance.map.items});
  } else {
    balance.map.visit(use);
  }
}

/// Stores a row with the own part `own`; 0 with the item as its own alias stands for a full bucket.
template <class Rows>
__device__ void store(const Rows& rows, Index item, Index own, Index alias) {
  const bool is_full = own == 0 && alias == item;
  rows.store(item, is_full ? fixed_bucket : std::uint64_t{own}, alias);
}

/// Whether `excesses` equals the sum of all exports, or the deficits of the tiles up to some tile.
[[nodiscard]] __device__ inline bool ends_with_a_tile(const Balance& balance,
                                                      std::uint64_t excesses) {
  const Index donors = *balance.excess_count;
  if (excesses == balance.excess_before[donors]) return true;
  const Index lacks = balance.tiles - donors;
  const Index place = Balance::count_less(balance.lack_before, lacks, excesses);
  return place < lacks && balance.lack_before[place] == excesses;
}

/// Writes the rows of the exports of the `place`-th tile with an excess, by `tile_threads` threads.
template <class Rows, Index tile_threads, class Map>
__device__ void store_exports_of(Index place, const Balance& balance, const MergeExports& exported,
                                 const Rows& rows) {
  const Index tile = balance.excess_tile(place);
  const Index count = balance.exported_count[place];
  const auto item_at = [&](Index of_tile, Index k) {
    return Map{balance.map.items}[of_tile](exported.item[of_tile * mass_tile_items + k]);
  };
  constexpr Index unroll = 4;  // items read before any row is made
  for (Index first = threadIdx.x % tile_threads; first < count; first += unroll * tile_threads) {
    Index item[unroll];
    Index next[unroll];
    Index own[unroll];
#pragma unroll
    for (Index j = 0; j < unroll; ++j) {
      const Index k = min(first + j * tile_threads, count - 1);
      item[j] = item_at(tile, k);
      next[j] = item_at(tile, min(k + 1, count - 1));
      own[j] = exported.own[tile * mass_tile_items + k];
    }
#pragma unroll
    for (Index j = 0; j < unroll; ++j) {
      const Index k = first + j * tile_threads;
      if (k >= count) break;
      Index alias = item[j];
      if (own[j] != 0 ||
          !ends_with_a_tile(balance, balance.excess_before[place] + slot(rows, item[j]))) {
        alias = k + 1 < count ? next[j] : item_at(balance.excess_tile(place + 1), 0);
      }
      store(rows, item[j], own[j], alias);
    }
  }
}

/// Writes the rows of all exported items: `tile_threads` threads for each tile with an excess, any
/// number of blocks (grid-stride).
template <class Rows, Index tile_threads, class Map>
__device__ void store_all_exports(const Balance& balance, const MergeExports& exported,
                                  const Rows& rows) {
  const Index places = *balance.excess_count;
  const Index block_tiles = blockDim.x / tile_threads;
  for (Index place = blockIdx.x * block_tiles + threadIdx.x / tile_threads; place < places;
       place += gridDim.x * block_tiles) {
    store_exports_of<Rows, tile_threads, Map>(place, balance, exported, rows);
  }
}

/// Writes the rows of all exported items, after `make_rows`. Any number of blocks of
/// `store_block_threads` threads; no dynamic shared memory.
template <class Rows, Index tile_threads>
__global__ void __launch_bounds__(store_block_threads)
    store_handed_on(Balance balance, MergeExports exported, Rows rows) {
  grid_dependency_sync();
  trigger_launch_completion();
  visit_map<tile_threads == store_block_threads>(balance, [&]<class Map>(const Map& /*tiles*/) {
    store_all_exports<Rows, tile_threads, Map>(balance, exported, rows);
  });
}

}  // namespace wrsgpu::merge
