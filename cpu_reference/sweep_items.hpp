// The loop of the sweeping construction, over all items (thesis 2.4.3) or over a section of PSA+
// (2.4.5).
#pragma once

#include "wrsgpu/detail/table/store_row.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The first light item in [i, end), or `end`.
template <class Masses>
Index next_light(const Masses& masses, Index i, Index end) {
  while (i < end && masses[i] > masses.bucket) ++i;
  return i;
}

/// The first heavy item in [i, end), or `end`.
template <class Masses>
Index next_heavy(const Masses& masses, Index i, Index end) {
  while (i < end && !(masses[i] > masses.bucket)) ++i;
  return i;
}

/// End of a sweep: light items from `light` on and heavy ones from `heavy` on have no rows yet, and
/// `heavy` has the remaining mass `left`. Without a heavy item, `heavy` is the end.
template <class Mass>
struct SweepEnd {
  Index light;
  Index heavy;
  Mass left;
};

/// Sweeps over the items [begin, end) until it runs out of light or heavy items.
template <class Masses, class Rows>
SweepEnd<typename Masses::Mass> sweep_items(Masses masses, Rows rows, Index begin, Index end) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  Index light = next_light(masses, begin, end);
  Index heavy = next_heavy(masses, begin, end);
  if (heavy == end) return {light, end, Mass{0}};
  Mass left = masses[heavy];
  for (;;) {
    if (left > bucket) {
      if (light == end) break;
      const Mass own = masses[light];
      pack::store_row(rows, bucket, light, own, heavy);
      left -= bucket - own;
      light = next_light(masses, light + 1, end);
    } else {
      // The heavy item has become light: it keeps its remaining mass, and the next one fills its
      // bucket.
      const Index next = next_heavy(masses, heavy + 1, end);
      if (next == end) break;
      pack::store_row(rows, bucket, heavy, left, next);
      left = masses[next] - (bucket - left);
      heavy = next;
    }
  }
  return {light, heavy, left};
}

}  // namespace wrsgpu
