// Warp-parallel pairing, in which the lanes of a warp share a tile's light and heavy lists: the
// rules common to host and device (docs/merge_construction.md, "The warp-parallel table").
#pragma once

#include <cstdint>

#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// The exact tables that `MergeBuilder` and `TiledSweepBuilder` can build.
enum class TableForm {
  by_size,     ///< `warp_parallel` for `warp_pairing::threshold_items` or more, else `merge_path`
  merge_path,  ///< for any weights
  /// If that supports the weights, and they are not mostly heavy with an excess in some tile; else
  /// `merge_path`.
  warp_parallel,
};

namespace warp_pairing {

/// Minimum number of items for warp-parallel pairing by default. With fewer, a GPU gains less than
/// it loses on unsupported weights.
inline constexpr Index threshold_items = Index{1} << 23;

inline constexpr Index lanes = 32;
/// Items of a tile that initially have lists of their own.
inline constexpr Index half_items = mass_tile_items / 2;

/// A tile with an excess chooses its exports first among the heaviest items of groups of this size.
inline constexpr Index group_items = 8;
inline constexpr Index tile_groups = mass_tile_items / group_items;
/// Orders the items of a group: the heaviest has the largest key. Weights that differ in the last
/// three bits only count as equal; among equal weights, the last has the largest key.
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Bits group_key(Bits weight_bits, Index place) {
  return (weight_bits & ~Bits{group_items - 1}) | place;
}
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Index place_of(Bits key) {
  return static_cast<Index>(key & (group_items - 1));
}

/// Minimum excess of each exported item if at most `places` items are to cover `excess`, which is
/// not 0. Rounded up, so that this many items suffice. The minimum also prevents a tile from
/// receiving many small items besides a large one.
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t min_excess(std::uint64_t excess, Index places) {
  return (excess - 1) / places + 1;
}

/// How often a tile whose candidates do not cover its excess goes through its other items, with
/// the minimum for the places and the excess that are left; it stops when none has that. Places are
/// left as long as some excess is: as many items as there were places would suffice, because each
/// has the minimum. More rounds would be for items that decrease like those of a power law by more
/// than 3.
inline constexpr Index max_more_rounds = 3;

/// Layout of the places of a tile's candidates on the device: two per byte, of groups that are 64
/// apart. `candidate_group` is the group of `half` 0 or 1 of a byte.
inline constexpr Index candidate_bytes = tile_groups / 2;
[[nodiscard]] WRSGPU_HD constexpr Index candidate_group(Index byte, Index half) {
  return byte / 64 * 128 + half * 64 + byte % 64;
}
/// The byte and the half of a group.
[[nodiscard]] WRSGPU_HD constexpr Index candidate_byte(Index group) {
  return group / 128 * 64 + group % 64;
}
[[nodiscard]] WRSGPU_HD constexpr Index candidate_half(Index group) { return group / 64 % 2; }
[[nodiscard]] WRSGPU_HD constexpr std::uint8_t candidates_of(Index first, Index second) {
  return static_cast<std::uint8_t>(first | second << 4);
}
[[nodiscard]] WRSGPU_HD constexpr Index place_in_candidates(const std::uint8_t* candidates,
                                                            Index group) {
  return Index{candidates[candidate_byte(group)]} >> (candidate_half(group) * 4) &
         (group_items - 1);
}

/// Maximum number of items that a tile may receive.
inline constexpr Index max_received = 512;
/// Upper bound of the number of items that most tiles receive if weights are in random order; a
/// device that processes many tiles at once has no room for more. Tiles that receive more are
/// overflow tiles, which are processed after all others. Since only few overflow tiles are allowed,
/// this constant decides which weights are supported and must not be tuned by itself.
inline constexpr Index typical_received = 160;
/// Maximum number of overflow tiles among `tiles` >= 1 tiles.
[[nodiscard]] WRSGPU_HD constexpr Index max_overflow_tiles(Index tiles) {
  return (tiles - 1) / 16 + 1;
}
/// Maximum number of units, by which the masses of a tile are too small or too large, that light
/// items of the first half alone give or take; the second half takes part if there are more.
inline constexpr std::uint64_t max_units_of_first_half = 256;

/// Minimum number of lanes that find an item: within a half, and for the rest of both halves, which
/// also continues while there is any heavy item.
inline constexpr Index min_active_lanes_in_half = 20;
inline constexpr Index min_active_lanes = 8;
/// Number of buckets beyond its own that a current item, or the residual, must have to fill one
/// light item per lane at once.
inline constexpr int run_buckets = 6;

}  // namespace warp_pairing

/// Whether to build the warp-parallel table for this many weights.
[[nodiscard]] constexpr bool is_warp_parallel(TableForm form, std::uint64_t items) {
  return form == TableForm::warp_parallel ||
         (form == TableForm::by_size && items >= warp_pairing::threshold_items);
}

}  // namespace wrsgpu
