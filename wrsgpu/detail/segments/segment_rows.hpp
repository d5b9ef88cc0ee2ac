// The rows of a segment's table.
//
// Item i is light if its mass q_i is at most C = 2^32, with deficit C - q_i, and heavy otherwise,
// with excess q_i - C. In the order of the items, D_l is the sum of the deficits of the light items
// before the l-th, one more D that of all, and E_h the sum of the excesses up to and including
// heavy item h.
//   Light item l keeps q; its alias is the first heavy item with E_h > D_l.
//   Heavy item h ends at X_h, the first D_l >= E_h. It keeps C + E_h - X_h, and its alias is the
//   next heavy item.
// An item that keeps C has its bucket for itself. This is the table of one tile in
// docs/merge_construction.md, except that of equal sums a heavy item ends before a light one
// begins. The sums of all deficits and of all excesses of a segment are equal. So in one merge over
// several segments the last heavy item of each ends before the next segment begins: no alias leaves
// its segment, and a segment's table does not depend on the others.
//
// In a segment of several parts (segment_masses.hpp), the items of each part end by these rules as
// far as they can. With T and E, the sums of all deficits and of all excesses of the part, it
// leaves over
//   if E > T: the heavy items with E_h > T, the first of them with an excess of E_h - T;
//   otherwise: the last heavy item, if X_h > E, as a light item that lacks X_h - E, and the light
//   items with D_l >= E.
// What the parts of a segment leave over, in order, are the items of one more merge by these rules.
// Its sums are equal again, as the masses of the segment add up to a bucket for each item.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// The rows of the items of a segment without weight, which give `no_item`.
[[nodiscard]] WRSGPU_HD constexpr CompactRow row_without_weight() { return {0, no_item}; }

}  // namespace wrsgpu::segments
