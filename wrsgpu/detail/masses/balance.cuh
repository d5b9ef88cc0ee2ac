// The balance of tiles: which have an excess, and which tiles receive it.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu::merge {

/// What warp-parallel pairing reads of a tile.
struct alignas(16) PairingTile {
  double slope;          ///< as in `MassTile`
  std::uint64_t mass;    ///< as in `MassTile`
  std::uint64_t before;  ///< `excess_before` of a tile with an excess, else `lack_before`
  int shift;
  Index number;
};

/// Tiles with an excess in one list, all others in another (device memory).
struct Balance {
  static constexpr Index not_yet = ~Index{0};
  /// In `order`: `chunk_bit | number` denotes a chunk, and `no_work` an entry without work.
  static constexpr Index chunk_bit = Index{1} << 31;
  static constexpr Index no_work = ~Index{0};

  /// In `place`: the tile has an excess.
  static constexpr Index excess_bit = Index{1} << 31;
  /// In `overflow_count`: only merge path can build the table; or it is to be tried with exports of
  /// deficits first.
  static constexpr Index merge_all = Index{1} << 31;
  static constexpr Index merge_deficits = merge_all | Index{1} << 30;

  /// Work counters of the running blocks: how much is taken, and done.
  struct Counters {
    Index deficits_taken;  ///< tiles, for exports of deficits
    Index deficits_done;
    Index deficits_failed;  ///< not 0 if these do not support the weights
    Index searches_taken;   ///< searches that `finish_and_balance` left to do
    Index searches_done;
    Index order_taken;  ///< entries of `order`
    Index order_done;
  };

  DeviceTileMap map;
  Index tiles;
  /// Number of tiles in `warp_pairing::SweepInput::overflow_tiles`; `merge_all` or more if only
  /// merge path can build the table, because the weights are invalid, mostly heavy, or were found
  /// unsupported.
  Index* overflow_count;
  Counters* counters;
  Index* place;         ///< of each tile, among those with an excess or among the others
  Index* excess_count;  ///< tiles with an excess
  /// The tasks of the blocks, `max_blocks` of them: the tiles with an excess, in order; their
  /// chunks except the first; the other tiles, in reverse order; entries without work.
  Index* order;
  /// The tiles in the order of warp-parallel pairing: first the tiles with an excess; then, of the
  /// others, the upper half and those of the lower half that lack much; last those that lack
  /// little. Each group is in reverse order, because the weights of its last tile are still in the
  /// L2 from the preceding pass; of a large table, only the weights of tiles with an excess are.
  /// Null unless tiles are paired.
  PairingTile* pairing_tiles;
  /// Number of exports of each tile with an excess; `not_yet` until they are written.
  Index* exported_count;
  /// Number of exports that warp-parallel pairing chose for each tile with an excess; `not_yet`
  /// until they are chosen. Exports of deficits have other numbers there, for all tiles.
  Index* chosen_count;
  /// Exclusive prefix sum of the excesses over the tiles with an excess; an additional last entry
  /// holds the total.
  std::uint64_t* excess_before;
  /// Exclusive prefix sum of the deficits over the tiles that lack mass.
  std::uint64_t* lack_before;
  /// For each tile that lacks mass: the first tile with an excess, by its place among those, that
  /// the preceding tiles do not use up.
  Index* donor_tile;
  /// For each chunk except the first: the tile, by its place among those that lack mass, that the
  /// tiles before the chunk fill in part.
  Index* chunk_tile;
  /// The masses of the tiles before each, with the total at the end. Null unless they alone are
  /// wanted, and nothing else but the counters.
  std::uint64_t* mass_before;

  /// Whether the weights are supported as far as this thread knows; concurrent findings of other
  /// blocks may be missed.
  [[nodiscard]] __device__ bool is_supported() const {
    return *const_cast<const volatile Index*>(overflow_count) < merge_all;
  }
  __device__ void set_unsupported() const {
    *const_cast<volatile Index*>(overflow_count) = merge_all;
  }

  /// Whether tiles with an excess are so few that each exports many items.
  [[nodiscard]] WRSGPU_HD bool exports_many(Index excess_tiles) const {
    return excess_tiles < tiles / 8;
  }
  /// Number of tiles with an excess per chunk, given the number of all of them. A tile that lacks
  /// mass and receives from at least twice as many tiles is shared by several blocks, each with the
  /// donors of one chunk. With many tiles, other blocks hide those that receive from many. A block
  /// per chunk costs time if it has no work, except with very few tiles, whose blocks all run at
  /// once.
  [[nodiscard]] WRSGPU_HD Index chunk_tiles(Index excess_tiles) const {
    if (tiles > max_few_tiles) return chunk_of_many;
    return tiles <= max_very_few_tiles || exports_many(excess_tiles) ? 1 : chunk_of_few;
  }
  static constexpr Index max_very_few_tiles = 256;
  static constexpr Index max_few_tiles = 16'384;
  static constexpr Index chunk_of_few = 2;
  static constexpr Index chunk_of_many = 8;
  /// Number of chunks except the first, given the number of tiles with an excess.
  [[nodiscard]] WRSGPU_HD Index more_chunks(Index excess_tiles) const {
    return excess_tiles == 0 ? 0 : (excess_tiles - 1) / chunk_tiles(excess_tiles);
  }
  [[nodiscard]] WRSGPU_HD Index max_blocks() const { return tiles + more_chunks(tiles); }
  /// Number of searches: one for each tile that lacks mass, and one for each possible chunk except
  /// the first.
  [[nodiscard]] WRSGPU_HD Index searches(Index excess_tiles) const {
    return max_blocks() - excess_tiles;
  }
  /// Number of chunks except the first for which there is memory. It never decreases with the
  /// number of tiles, so that a table of a given capacity can be built for any smaller number of
  /// items. Beyond very few tiles, a chunk is a single tile only if few tiles have an excess; there
  /// are then fewer chunks than this.
  [[nodiscard]] static Index chunk_capacity(Index tiles) {
    return std::max({std::min(tiles, max_very_few_tiles),
                     std::min(tiles, max_few_tiles) / chunk_of_few, tiles / chunk_of_many});
  }

  [[nodiscard]] __device__ bool is_warp_parallel() const { return pairing_tiles != nullptr; }
  /// Index in `pairing_tiles` of the tile with the `place`-th excess; its own inverse.
  [[nodiscard]] __device__ static Index pairing_place(Index place, Index excess_tiles) {
    return excess_tiles - 1 - place;
  }
  /// The number of the tile with the `place`-th excess.
  [[nodiscard]] __device__ Index excess_tile(Index place) const { return order[place]; }
  /// The number of the `place`-th tile that lacks mass, given the number of tiles with an excess.
  [[nodiscard]] __device__ Index lacking_tile(Index place, Index excess_tiles) const {
    return order[block_of_lacking(place, excess_tiles)];
  }
  /// The block of the `place`-th tile that lacks mass; its own inverse.
  [[nodiscard]] __device__ Index block_of_lacking(Index place, Index excess_tiles) const {
    return tiles + more_chunks(excess_tiles) - 1 - place;
  }
  /// Lower bound: how many of the first `count` sums, in ascending order, are less than `mass`.
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

/// The two searched arrays of `Balance`, or copies of them.
struct SearchedSums {
  std::uint64_t* excess_before;
  std::uint64_t* lack_before;
};

/// Finds the donor tile of the `lack`-th tile that lacks mass.
__device__ inline void find_donor_tile(const Balance& balance, const SearchedSums& sums,
                                       Index donors, Index lack) {
  // The first tile whose inclusive sum of excesses exceeds the deficits before.
  balance.donor_tile[lack] =
      Balance::count_less(sums.excess_before + 1, donors, sums.lack_before[lack] + 1);
}

/// Finds the fields of `Balance` for the chunks except the first, and the entries after them in
/// `order`. `number` is less than `balance.max_blocks() - balance.tiles`.
__device__ inline void find_chunk(const Balance& balance, const SearchedSums& sums, Index donors,
                                  Index number) {
  const Index more_chunks = balance.more_chunks(donors);
  if (number >= more_chunks) {
    balance.order[balance.tiles + number] = Balance::no_work;
    return;
  }
  const Index chunk = number + 1;
  // The last tile before which the deficits are less than the excesses before the chunk.
  const std::uint64_t begin = sums.excess_before[chunk * balance.chunk_tiles(donors)];
  balance.chunk_tile[chunk] =
      Balance::count_less(sums.lack_before, balance.tiles - donors, begin) - 1;
  balance.order[donors + number] = Balance::chunk_bit | chunk;
}

/// Performs one of these searches; `number` is less than `balance.searches(donors)`.
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
/// balances the tiles: with `Balance::pairing_tiles` for warp-parallel pairing, otherwise with the
/// results of `search`; or, for prefix sums, does not balance them. Follows the conventions of
/// `DeviceArena`.
enum class BalanceFor { merging, warp_parallel_pairing, prefix_sums };
[[nodiscard]] Balance finish_and_balance(const SummedTile* summed, const DeviceTileMap& map,
                                         MassTile* tiles, DeviceWeightSummary* summary,
                                         BalanceFor use, DeviceArena& arena, cudaStream_t stream);

/// Tiles of weights, and their balance.
struct BalancedTiles {
  const MassTile* tiles;
  Balance balance;

  [[nodiscard]] DeviceMassTiles mass_tiles() const { return {tiles, balance.map}; }
};
/// Balances the tiles of `weights` (device memory). `sweep` is null unless they are for
/// warp-parallel pairing.
template <class T>
[[nodiscard]] BalancedTiles balance_tiles(std::span<const T> weights, DeviceWeightSummary* summary,
                                          DeviceArena& arena, cudaStream_t stream,
                                          const SweepStart* sweep = nullptr,
                                          BalanceFor use = BalanceFor::merging) {
  // Prefix sums are those of the items in their order.
  const DeviceTileMap map = use == BalanceFor::prefix_sums
                                ? DeviceTileMap{static_cast<Index>(weights.size())}
                                : find_tile_map_on_device(weights, arena, stream);
  auto* const tiles = arena.take<MassTile>(mass_tile_count(map.items));
  const SummedTile* const summed = sum_tiles_on_device(weights, map, arena, stream, sweep);
  if (sweep != nullptr) use = BalanceFor::warp_parallel_pairing;
  return {tiles, finish_and_balance(summed, map, tiles, summary, use, arena, stream)};
}

/// The capacity of a tile's buckets.
[[nodiscard]] WRSGPU_HD inline std::uint64_t tile_capacity(Index tile, Index items) {
  const std::uint64_t left = items - std::uint64_t{tile} * mass_tile_items;
  return (left < mass_tile_items ? left : mass_tile_items) * fixed_bucket;
}

/// The result of the check, from the combination of all tiles and the last R_t.
[[nodiscard]] __device__ inline DeviceWeightSummary summary_of(const SummedTile& combined,
                                                               WideSum total, Index items) {
  const bool all_valid = combined.first_invalid >= items;
  const bool has_weight = combined.total.sum > 0;
  const double weight = has_weight ? common_weight(total, combined.total.shift) : 0;
  const bool valid = all_valid && has_weight && weight <= 1.7976931348623157e308;
  WeightSummary found = make_summary(weight, combined.largest, items);
  if (has_weight) found.whole = normalised(total, combined.total.shift);
  return {found, found.bucket(), all_valid ? items : combined.first_invalid, valid};
}

/// The tile of mass `mass`. Invalid weights get the tiles of equal weights, so that the sums that
/// later kernels read are consistent.
[[nodiscard]] __device__ inline MassTile finished_tile(Index tile, Index items,
                                                       const SummedTile& summed, bool valid,
                                                       std::uint64_t mass) {
  if (!valid) return {TileSum{0, 0}, tile_capacity(tile, items)};
  return {summed.total, mass};
}

}  // namespace wrsgpu::merge
