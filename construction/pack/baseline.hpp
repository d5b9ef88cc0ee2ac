// The baseline pack: writes the rows of one section (thesis 2.4.4, 3.2.1 and 4.5.1).
//
// A section ends when all its items are written, not when its mass is used up, because floating-
// point masses do not add up:
//  - light items left when the section's heavy items are written go to the open heavy item, and
//    after the last heavy item of all to that one;
//  - heavy items left when the light ones are written keep what they have, at most a bucket, and
//    the next one fills the rest;
//  - the last heavy item of all keeps a full bucket.
// In exact arithmetic none of this ever differs from the sweep. Aliases are heavy items or the item
// itself, so an item of mass zero is never drawn.
#pragma once

#include "wrsgpu/construction/pack/element.hpp"
#include "wrsgpu/construction/pack/store_row.hpp"
#include "wrsgpu/construction/split/state.hpp"
#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu::pack {
namespace detail {

/// Without heavy items all masses equal the bucket, up to rounding.
template <class Element, class Mass, class Rows>
WRSGPU_HD void store_full(const Element* begin, const Element* end, Mass bucket, const Rows& rows) {
  for (; begin != end; ++begin) rows.store(item_of(*begin), bucket, item_of(*begin));
}

}  // namespace detail

/// Writes the rows of the section from `begin` to `end`, the readable way. The states must be in
/// order (`split::in_order`). `rows` and `lists` are those of the whole table.
template <class Element, class Masses, class Rows>
WRSGPU_HD void pack(const Lists<Element>& lists, const Masses& masses, const Rows& rows,
                    const split::State<typename Masses::Mass>& begin,
                    const split::State<typename Masses::Mass>& end) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  if (lists.heavies == 0) {
    detail::store_full(lists.light + begin.light, lists.light + end.light, bucket, rows);
    return;
  }
  const Index last = lists.heavies - 1;
  const Index heavy_end = end.heavy < last ? end.heavy : last;
  Index light = begin.light;
  Index heavy = begin.heavy < last ? begin.heavy : last;
  const Mass whole = mass_of(lists.heavy[heavy], masses);
  Mass left = begin.spill < whole ? begin.spill : whole;
  while (light < end.light || heavy < heavy_end) {
    const bool is_used_up = !(left > bucket);
    if (light == end.light || (is_used_up && heavy < heavy_end)) {
      // The heavy item keeps what is left, and the next one fills its bucket.
      const Index next = heavy + 1;
      const Mass own = is_used_up ? left : bucket;
      store_row(rows, bucket, item_of(lists.heavy[heavy]), own, item_of(lists.heavy[next]));
      left = mass_of(lists.heavy[next], masses) - (bucket - own);
      heavy = next;
    } else {
      // The heavy item fills the bucket of a light one.
      const Mass own = mass_of(lists.light[light], masses);
      store_row(rows, bucket, item_of(lists.light[light]), own, item_of(lists.heavy[heavy]));
      left -= bucket - own;
      ++light;
    }
  }
  if (begin.heavy <= last && last < end.heavy) {
    const Index item = item_of(lists.heavy[last]);
    rows.store(item, bucket, item);
  }
}

/// The same rows, bit for bit. Both kinds of step only choose a pointer; the one element is then
/// read, and the one row written, outside of the branch (thesis 4.5.1, Algorithm 4.2).
template <class Element, class Masses, class Rows>
WRSGPU_HD void pack_optimised(const Lists<Element>& lists, const Masses& masses, const Rows& rows,
                              const split::State<typename Masses::Mass>& begin,
                              const split::State<typename Masses::Mass>& end) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  const Element* next_light = lists.light + begin.light;
  const Element* const light_end = lists.light + end.light;
  if (lists.heavies == 0) {
    detail::store_full(next_light, light_end, bucket, rows);
    return;
  }
  const Index last = lists.heavies - 1;
  const Element* open_heavy = lists.heavy + (begin.heavy < last ? begin.heavy : last);
  const Element* const heavy_end = lists.heavy + (end.heavy < last ? end.heavy : last);
  const Mass whole = mass_of(*open_heavy, masses);
  Mass left = begin.spill < whole ? begin.spill : whole;
  Index donor = item_of(*open_heavy);
  while (next_light != light_end || open_heavy != heavy_end) {
    const bool is_used_up = !(left > bucket);
    const bool take_heavy = next_light == light_end || (is_used_up && open_heavy != heavy_end);
    const Element* const pointer = take_heavy ? open_heavy + 1 : next_light;
    open_heavy += take_heavy ? 1 : 0;
    next_light += take_heavy ? 0 : 1;
    const Element element = *pointer;
    const Index item = item_of(element);
    const Mass mass = mass_of(element, masses);
    const Mass kept = is_used_up ? left : bucket;
    const Mass own = take_heavy ? kept : mass;
    store_row(rows, bucket, take_heavy ? donor : item, own, take_heavy ? item : donor);
    left = (take_heavy ? mass : left) - (bucket - own);
    donor = take_heavy ? item : donor;
  }
  if (begin.heavy <= last && last < end.heavy) {
    const Index item = item_of(lists.heavy[last]);
    rows.store(item, bucket, item);
  }
}

}  // namespace wrsgpu::pack
