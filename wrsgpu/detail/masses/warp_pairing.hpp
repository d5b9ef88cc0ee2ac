// Warp-parallel pairing, in which the lanes of a warp share a tile's light and heavy lists: the
// rules common to host and device (docs/merge_construction.md, "The warp-parallel table").
#pragma once

#include <cstdint>

#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// Which of two exact tables `AliasTableMergeGpu` and `TiledSweep` build.
enum class TableForm {
  by_size,  ///< the warp-parallel one from `warp_pairing::threshold_items` on, else the merge-path
            ///< one
  merge_path,     ///< of any weights
  warp_parallel,  ///< by lanes, if the weights are supported; the merge-path one otherwise
};

namespace warp_pairing {

/// Minimum number of items for warp-parallel pairing by default. With fewer, a GPU gains less than
/// it loses on unsupported weights.
inline constexpr Index threshold_items = Index{1} << 23;

inline constexpr Index lanes = 32;
/// Items of a tile that have lists of their own at first.
inline constexpr Index half_items = mass_tile_items / 2;

/// A tile with an excess chooses what it exports first among the heaviest of each eight neighbours.
inline constexpr Index group_items = 8;
inline constexpr Index tile_groups = mass_tile_items / group_items;
/// Orders a group's items: the largest key is the heaviest item's. Weights that differ in the last
/// three bits only count as equal, and of equal ones the last is the largest.
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Bits group_key(Bits weight_bits, Index place) {
  return (weight_bits & ~Bits{group_items - 1}) | place;
}
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Index place_of(Bits key) {
  return static_cast<Index>(key & (group_items - 1));
}

/// Minimum excess of each exported item, when `places` items are to cover `excess`, which is not 0.
/// As it is rounded up, so many are enough; and a tile does not receive many small items beside a
/// large one.
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t min_excess(std::uint64_t excess, Index places) {
  return (excess - 1) / places + 1;
}

/// Whether a tile whose candidates have `exported` continues with its other items: only if they
/// have at least half of `excess`, as many others would be needed otherwise. There are places left
/// then: `tile_groups` candidates have enough, as each has at least `min_excess(excess,
/// tile_groups)`.
[[nodiscard]] WRSGPU_HD constexpr bool others_may_be_exported(std::uint64_t exported,
                                                              std::uint64_t excess) {
  return exported < excess && exported >= excess - exported;
}

/// Where the device keeps the places of a tile's candidates: two in a byte, those of groups that
/// are 64 apart. Of the byte's `half`, 0 or 1, the group:
inline constexpr Index candidate_bytes = tile_groups / 2;
[[nodiscard]] WRSGPU_HD constexpr Index candidate_group(Index byte, Index half) {
  return byte / 64 * 128 + half * 64 + byte % 64;
}
/// And of a group the byte and the half.
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

/// Items that a tile may receive.
inline constexpr Index max_received = 512;
/// Upper bound of the items that most tiles receive, if weights are in random order: a device that
/// sweeps many tiles at once has room for no more. Those that receive more are overflow tiles, and
/// swept behind all others. As these may be few only, it is a part of what is suited, and not to be
/// tuned alone.
inline constexpr Index typical_received = 160;
/// Maximum number of overflow tiles, of `tiles` >= 1.
[[nodiscard]] WRSGPU_HD constexpr Index max_overflow_tiles(Index tiles) {
  return (tiles - 1) / 16 + 1;
}
/// So many units, which a tile's masses lack or have too much, are to be given or taken by light
/// items of the first half alone; if there are more, the second half helps.
inline constexpr std::uint64_t max_units_of_first_half = 256;

/// A half is swept while so many lanes find an item, and the rest of both while so many do or there
/// is any heavy item.
inline constexpr Index min_active_lanes_in_half = 20;
inline constexpr Index min_active_lanes = 8;
/// A current item, or the residual, fills as many light items as there are lanes at once only if it
/// has so many buckets beyond its own.
inline constexpr int run_buckets = 6;

}  // namespace warp_pairing

/// Whether to build the warp-parallel table for this many weights.
[[nodiscard]] constexpr bool is_warp_parallel(TableForm form, std::uint64_t items) {
  return form == TableForm::warp_parallel ||
         (form == TableForm::by_size && items >= warp_pairing::threshold_items);
}

}  // namespace wrsgpu
