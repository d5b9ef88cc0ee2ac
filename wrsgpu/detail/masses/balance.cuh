// The balance of tiles: which have an excess, and which tiles receive it.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu::merge {

/// Input of warp-parallel pairing for a tile.
struct alignas(16) PairingTile {
  double slope;          ///< as in `MassTile`
  std::uint64_t mass;    ///< as there
  std::uint64_t before;  ///< `excess_before` of a tile with an excess, else `lack_before`
  int shift;
  Index number;
};

/// Tiles with an excess in one list, all others in another (device memory).
struct Balance {
  static constexpr Index not_yet = ~Index{0};
  /// In `order`: `chunk_bit | number` is a chunk, and `nothing` is a place without any work.
  static constexpr Index chunk_bit = Index{1} << 31;
  static constexpr Index no_work = ~Index{0};

  /// In `place`: the tile has an excess.
  static constexpr Index excess_bit = Index{1} << 31;
  /// In `overflow_count`.
  static constexpr Index merge_all = Index{1} << 31;

  /// Of what running blocks take in order, how much is taken, and done.
  struct Counters {
    Index searches_taken;  ///< what `search` is to find, where `finish_and_balance` does not
    Index searches_done;
    Index order_taken;  ///< entries of `order`
    Index order_done;
  };

  Index tiles;
  /// How many tiles are in `warp_pairing::SweepInput::overflow_tiles`; `merge_all` or more where
  /// only a merge can make the table, since weights are invalid, or were found unsupported.
  Index* overflow_count;
  Counters* counters;
  Index* place;         ///< of each tile, among those with an excess or among the others
  Index* excess_count;  ///< tiles with an excess
  /// The tasks of the blocks: the tiles with an excess, in order; their chunks but the first; the
  /// other tiles, the last one first; nothing. As many as `max_blocks`.
  Index* order;
  /// In the order of warp-parallel pairing: the tiles with an excess; of the others the upper half,
  /// and those of the lower half that lack much; those that lack little. Of each the last one comes
  /// first, whose weights are in the L2 from the pass before; of a large table only those of tiles
  /// with an excess still are. Null where nobody sweeps.
  PairingTile* pairing_tiles;
  /// The number of exports of each tile with an excess; `not_yet` until they are written.
  Index* exported_count;
  /// The number of exports that warp-parallel pairing chose for each tile with an excess; `not_yet`
  /// until then.
  Index* chosen_count;
  /// Sum of the excesses before each with an excess; one more entry holds the sum of all.
  std::uint64_t* excess_before;
  /// Sum of what the tiles before each that lacks mass lack.
  std::uint64_t* lack_before;
  /// For each tile that lacks mass, which of those with an excess is the first that is not used up
  /// before it.
  Index* donor_tile;
  /// For each chunk but the first, the tile among those that lack mass that the tiles before the
  /// chunk fill in part.
  Index* chunk_tile;

  /// Whether weights are supported as far as known: concurrent findings of other blocks may be
  /// missed.
  [[nodiscard]] __device__ bool is_supported() const {
    return *const_cast<const volatile Index*>(overflow_count) < merge_all;
  }
  __device__ void set_unsupported() const {
    *const_cast<volatile Index*>(overflow_count) = merge_all;
  }

  /// Whether so few tiles have an excess that each exports many items.
  [[nodiscard]] WRSGPU_HD bool exports_many(Index excess_tiles) const {
    return excess_tiles < tiles / 8;
  }
  /// Tiles with an excess in a chunk, where so many have one. A tile that lacks mass and takes from
  /// twice as many or more is several blocks', each with the donors of one chunk. Of many tiles,
  /// those that take from many are hidden by others. A block for each chunk costs where there is
  /// nothing for it to do: of very few tiles, whose blocks all run at once, nothing.
  [[nodiscard]] WRSGPU_HD Index chunk_tiles(Index excess_tiles) const {
    if (tiles > max_few_tiles) return chunk_of_many;
    return tiles <= max_very_few_tiles || exports_many(excess_tiles) ? 1 : chunk_of_few;
  }
  static constexpr Index max_very_few_tiles = 256;
  static constexpr Index max_few_tiles = 16'384;
  static constexpr Index chunk_of_few = 2;
  static constexpr Index chunk_of_many = 8;
  /// Chunks but the first, of so many tiles with an excess.
  [[nodiscard]] WRSGPU_HD Index more_chunks(Index excess_tiles) const {
    return excess_tiles == 0 ? 0 : (excess_tiles - 1) / chunk_tiles(excess_tiles);
  }
  [[nodiscard]] WRSGPU_HD Index max_blocks() const { return tiles + more_chunks(tiles); }
  /// The number of searches: one for each tile that lacks mass, and one for each possible chunk.
  [[nodiscard]] WRSGPU_HD Index searches(Index excess_tiles) const {
    return max_blocks() - excess_tiles;
  }
  /// Chunks but the first that there is memory for: never less than for fewer tiles, so that a
  /// table of a capacity can be built of any fewer items. Beyond very few tiles, each is a chunk of
  /// its own only where few have an excess, and there are fewer chunks than this.
  [[nodiscard]] static Index chunk_capacity(Index tiles) {
    return std::max({std::min(tiles, max_very_few_tiles),
                     std::min(tiles, max_few_tiles) / chunk_of_few, tiles / chunk_of_many});
  }

  [[nodiscard]] __device__ bool is_warp_parallel() const { return pairing_tiles != nullptr; }
  /// Where the tile with the `place`-th excess is in `pairing_tiles`; its own inverse.
  [[nodiscard]] __device__ static Index pairing_place(Index place, Index excess_tiles) {
    return excess_tiles - 1 - place;
  }
  /// The number of the tile with the `place`-th excess.
  [[nodiscard]] __device__ Index excess_tile(Index place) const { return order[place]; }
  /// The number of the `place`-th tile that lacks mass, where so many have an excess.
  [[nodiscard]] __device__ Index lacking_tile(Index place, Index excess_tiles) const {
    return order[block_of_lacking(place, excess_tiles)];
  }
  /// Which block has the `place`-th tile that lacks mass; its own inverse.
  [[nodiscard]] __device__ Index block_of_lacking(Index place, Index excess_tiles) const {
    return tiles + more_chunks(excess_tiles) - 1 - place;
  }
  /// Lower bound: the number of the first `count` sums, which ascend, that are less than `mass`.
  [[nodiscard]] __device__ static Index count_less(const std::uint64_t* sums, Index count,
                                                   std::uint64_t mass) {
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (sums[middle] < mass) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Two arrays of `Balance`, or copies of them, which are searched.
struct SearchedSums {
  std::uint64_t* excess_before;
  std::uint64_t* lack_before;
};

/// Finds the donor tile of the `lack`-th tile that lacks mass.
__device__ inline void find_donor_tile(const Balance& balance, const SearchedSums& sums,
                                       Index donors, Index lack) {
  // The first tile whose excess exceeds the deficits before.
  balance.donor_tile[lack] =
      Balance::count_less(sums.excess_before + 1, donors, sums.lack_before[lack] + 1);
}

/// Finds what `Balance` has for the chunks but the first, and what follows them in `order`:
/// `number` is below `balance.max_blocks() - balance.tiles`.
__device__ inline void find_chunk(const Balance& balance, const SearchedSums& sums, Index donors,
                                  Index number) {
  const Index more_chunks = balance.more_chunks(donors);
  if (number >= more_chunks) {
    balance.order[balance.tiles + number] = Balance::no_work;
    return;
  }
  const Index chunk = number + 1;
  // The last one before which less is lacking than the excesses before the chunk.
  const std::uint64_t begin = sums.excess_before[chunk * balance.chunk_tiles(donors)];
  balance.chunk_tile[chunk] =
      Balance::count_less(sums.lack_before, balance.tiles - donors, begin) - 1;
  balance.order[donors + number] = Balance::chunk_bit | chunk;
}

/// Finds one of these; `number` is below `balance.searches(donors)`.
__device__ inline void search(const Balance& balance, const SearchedSums& sums, Index donors,
                              Index number) {
  const Index lacks = balance.tiles - donors;
  if (number < lacks) {
    find_donor_tile(balance, sums, donors, number);
  } else {
    find_chunk(balance, sums, donors, number - lacks);
  }
}

/// Writes the tiles (steps 2 and 3 of wrsgpu/detail/masses/mass_tiles.hpp) and `*summary`, and
/// balances them: with `Balance::pairing_tiles` where lanes are to sweep them, else with what
/// `search` finds. The conventions of `DeviceArena`.
[[nodiscard]] Balance finish_and_balance(const SummedTile* summed, Index items, MassTile* tiles,
                                         DeviceWeightSummary* summary, bool is_warp_parallel,
                                         DeviceArena& arena, cudaStream_t stream);

/// Tiles of weights, and their balance.
struct BalancedTiles {
  const MassTile* tiles;
  Balance balance;
};
/// The tiles of `weights` (device memory), balanced; `sweep` is null unless lanes are to sweep
/// them.
template <class T>
[[nodiscard]] BalancedTiles balance_tiles(std::span<const T> weights, DeviceWeightSummary* summary,
                                          DeviceArena& arena, cudaStream_t stream,
                                          const SweepStart* sweep = nullptr) {
  const auto items = static_cast<Index>(weights.size());
  auto* const tiles = arena.take<MassTile>(mass_tile_count(items));
  const SummedTile* const summed = sum_tiles_on_device(weights, arena, stream, sweep);
  const bool is_warp_parallel = sweep != nullptr;
  return {tiles,
          finish_and_balance(summed, items, tiles, summary, is_warp_parallel, arena, stream)};
}

/// The capacity of a tile's buckets.
[[nodiscard]] WRSGPU_HD inline std::uint64_t tile_capacity(Index tile, Index items) {
  const std::uint64_t left = items - std::uint64_t{tile} * mass_tile_items;
  return (left < mass_tile_items ? left : mass_tile_items) * fixed_bucket;
}

}  // namespace wrsgpu::merge
