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
#include "wrsgpu/construction/pack/packer.hpp"
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

/// The same rows, bit for bit, by the optimised loop of pack/packer.hpp.
template <class Element, class Masses, class Rows>
WRSGPU_HD void pack_optimised(const Lists<Element>& lists, const Masses& masses, const Rows& rows,
                              const split::State<typename Masses::Mass>& begin,
                              const split::State<typename Masses::Mass>& end) {
  const ListReader<Element, Masses> reader{lists, masses};
  Packer<typename Masses::Mass>(reader, lists.heavies, masses.bucket, begin, end)
      .pack(reader, rows);
}

}  // namespace wrsgpu::pack
