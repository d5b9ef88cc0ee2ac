// A table of many items, each tile of which is swept by lanes that share two lists: what host and
// device have to agree on (docs/merge_construction.md, "The table that lanes sweep").
#pragma once

#include <cstdint>

#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// Which of two exact tables `AliasTableMergeGpu` and `SectionedSweep` build.
enum class TableForm {
  by_size,  ///< the swept one from `lane_sweep::least_items` on, else the merged one
  merged,   ///< of any weights
  swept,    ///< by lanes, if the weights are suited; the merged one otherwise
};

namespace lane_sweep {

/// From so many items on tables are swept by default. Of fewer a GPU gains less by that than it
/// loses where weights are not suited.
inline constexpr Index least_items = Index{1} << 23;

inline constexpr Index lanes = 32;
/// Items of a tile that have lists of their own at first.
inline constexpr Index half_items = mass_tile_items / 2;

/// A tile with an excess chooses what it hands on first among the heaviest of each eight
/// neighbours.
inline constexpr Index group_items = 8;
inline constexpr Index tile_groups = mass_tile_items / group_items;
/// Orders a group's items: the greatest key is the heaviest item's. Weights that differ in the last
/// three bits only count as equal, and of equal ones the last is the greatest.
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Bits group_key(Bits weight_bits, Index place) {
  return (weight_bits & ~Bits{group_items - 1}) | place;
}
template <class Bits>
[[nodiscard]] WRSGPU_HD constexpr Index place_of(Bits key) {
  return static_cast<Index>(key & (group_items - 1));
}

/// What each item that is handed on has at least beyond its bucket, where there are `places` for
/// those that have `excess` together, which is not 0. As it is rounded up, so many are enough; and
/// a tile does not receive many small items beside a large one.
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t least_excess(std::uint64_t excess, Index places) {
  return (excess - 1) / places + 1;
}

/// Whether a tile whose candidates have `handed_on` goes on with its other items: only if they have
/// at least half of `excess`, as many others would be needed otherwise. There are places left then:
/// `tile_groups` candidates have enough, as each has at least `least_excess(excess, tile_groups)`.
[[nodiscard]] WRSGPU_HD constexpr bool others_may_be_handed_on(std::uint64_t handed_on,
                                                               std::uint64_t excess) {
  return handed_on < excess && handed_on >= excess - handed_on;
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
inline constexpr Index most_received = 512;
/// What most tiles receive at most, if weights are in random order: a device that sweeps many tiles
/// at once has room for no more. Those that receive more are crowded, and swept behind all others.
/// As these may be few only, it is a part of what is suited, and not to be tuned alone.
inline constexpr Index usually_received = 160;
/// So many tiles may be crowded, of all, which are one at least.
[[nodiscard]] WRSGPU_HD constexpr Index most_crowded(Index tiles) { return (tiles - 1) / 16 + 1; }
/// So many units, which a tile's masses lack or have too much, are to be given or taken by light
/// items of the first half alone; if there are more, the second half helps.
inline constexpr std::uint64_t most_units_of_half = 256;

/// A half is swept while so many lanes find an item, and the rest of both while so many do or there
/// is any heavy item.
inline constexpr Index least_going_in_half = 20;
inline constexpr Index least_going = 8;
/// A current item, or the piece, fills as many light items as there are lanes at once only if it
/// has so many buckets beyond its own.
inline constexpr int run_buckets = 6;

}  // namespace lane_sweep

/// Whether the table of so many weights is to be the swept one.
[[nodiscard]] constexpr bool is_swept(TableForm form, std::uint64_t items) {
  return form == TableForm::swept ||
         (form == TableForm::by_size && items >= lane_sweep::least_items);
}

}  // namespace wrsgpu
