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
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// The first k in [0, count) with sum_of(k) > bound, or `count`; the sums ascend. Searches from
/// `hint`, at most `count`, to either side, with steps that double.
template <class SumOf>
[[nodiscard]] WRSGPU_HD Index first_beyond(const SumOf& sum_of, Index count, std::uint64_t bound,
                                           Index hint) {
  Index low = hint;
  Index high = hint;
  Index step = 1;
  if (hint < count && sum_of(hint) <= bound) {
    low = hint + 1;
    for (high = count; low < count; step *= 2) {
      const Index probe = step < count - low ? low + step - 1 : count - 1;
      if (sum_of(probe) > bound) {
        high = probe;
        break;
      }
      low = probe + 1;
    }
  } else {
    for (low = 0; high > 0; step *= 2) {
      const Index probe = step < high ? high - step : 0;
      if (sum_of(probe) <= bound) {
        low = probe + 1;
        break;
      }
      high = probe;
    }
  }
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (sum_of(middle) > bound) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// A row whose item has its bucket for itself.
[[nodiscard]] WRSGPU_HD constexpr CompactRow whole_row(Index item) { return {0, item}; }

/// The rows of the items of a segment without weight, which give `no_item`.
[[nodiscard]] WRSGPU_HD constexpr CompactRow row_without_weight() { return {0, no_item}; }

/// The row of the l-th light item. `lists` is the merge, or a window of it, and has the members
///   light_sum(l), light_item(l)   D_l, and the item; D also for l = lights
///   heavy_sum(h), heavy_item(h)   E_h, and the item
///   lights, heavies               the lengths
/// A window that ends before the merge has one light and one heavy item more than its own.
/// `heavy` is where the search for its alias begins, and is set to the alias.
template <class Lists>
[[nodiscard]] WRSGPU_HD CompactRow light_row(const Lists& lists, Index l, Index& heavy) {
  const std::uint64_t deficits = lists.light_sum(l);
  const std::uint64_t deficit = lists.light_sum(l + 1) - deficits;
  if (deficit == 0) return whole_row(lists.light_item(l));
  heavy = first_beyond([&](Index h) { return lists.heavy_sum(h); }, lists.heavies, deficits, heavy);
  return {static_cast<Index>(fixed_bucket - deficit), lists.heavy_item(heavy)};
}

/// The row of heavy item h. `light` is where the search for its end begins, and is set to it.
template <class Lists>
[[nodiscard]] WRSGPU_HD CompactRow heavy_row(const Lists& lists, Index h, Index& light) {
  const std::uint64_t excesses = lists.heavy_sum(h);
  light =
      first_beyond([&](Index l) { return lists.light_sum(l); }, lists.lights, excesses - 1, light);
  const std::uint64_t end = lists.light_sum(light);
  if (end == excesses) return whole_row(lists.heavy_item(h));
  return {static_cast<Index>(fixed_bucket - (end - excesses)), lists.heavy_item(h + 1)};
}

}  // namespace wrsgpu::segments
