// The baseline split: one binary search per split (thesis 2.4.4 and 3.1.1).
//
// With L(i) the mass of the first i light items, H(j) that of the first j heavy ones and C a
// bucket, the open heavy item j has L(i) + H(j + 1) - (i + j) * C left after i + j rows, and the
// sweep writes its row as soon as that is at most C. So heavy item j is among the first n rows if
// and only if L(n - 1 - j) + H(j + 1) <= n * C, a condition that turns from true to false once as j
// grows.
#pragma once

#include "construction/split/state.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// The inclusive prefix sums that a split method searches. `Sums` is a pointer or any other type
/// that is indexed by the number of an item within its kind and returns a `Mass`.
template <class Mass, class Sums = const Mass*>
struct PrefixSums {
  Sums light;     // light[i]: mass of the light items 0 to i
  Sums heavy;     // heavy[j]: mass of the heavy items 0 to j
  Index lights;   // number of light items
  Index heavies;  // number of heavy items
  Mass bucket;    // mass of a bucket, W/N
};

/// A range of candidates for the number of heavy items, both ends included.
struct SearchRange {
  Index low;
  Index high;
};

/// Range of the number of heavy items among the first `items` rows.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD SearchRange search_range(const PrefixSums<Mass, Sums>& sums, Index items) {
  return {items > sums.lights ? items - sums.lights : 0,
          items < sums.heavies ? items : sums.heavies};
}

/// True if the row of heavy item `heavy` is among the first `items` rows; `heavy` < `items` and
/// `items - 1 - heavy` <= lights. `heavy_mass` is the inclusive prefix sum at this heavy item.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD bool is_written(const PrefixSums<Mass, Sums>& sums, Index heavy,
                                        Mass heavy_mass, Index items) {
  const Index light = items - 1 - heavy;
  const Mass light_mass = light == 0 ? Mass{0} : sums.light[light - 1];
  return light_mass + heavy_mass <= static_cast<Mass>(items) * sums.bucket;
}
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD bool is_written(const PrefixSums<Mass, Sums>& sums, Index heavy,
                                        Index items) {
  return is_written(sums, heavy, sums.heavy[heavy], items);
}

/// The state after `items` rows, `heavy` of which belong to heavy items.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD State<Mass> state_with(const PrefixSums<Mass, Sums>& sums, Index heavy,
                                               Index items) {
  const Index light = items - heavy;
  if (heavy == sums.heavies) return {light, heavy, Mass{0}};
  const Mass light_mass = light == 0 ? Mass{0} : sums.light[light - 1];
  const Mass available = light_mass + sums.heavy[heavy];
  const Mass used = static_cast<Mass>(items) * sums.bucket;
  // Exact masses are never negative; floating-point masses may be, by rounding.
  return {light, heavy, available > used ? available - used : Mass{0}};
}

/// The state after `items` rows, by a search in `range`.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD State<Mass> binary_search(const PrefixSums<Mass, Sums>& sums,
                                                  SearchRange range, Index items) {
  while (range.low < range.high) {
    const Index middle = range.low + (range.high - range.low) / 2;
    if (is_written(sums, middle, items)) {
      range.low = middle + 1;
    } else {
      range.high = middle;
    }
  }
  return state_with(sums, range.low, items);
}

/// The state of the sweep after `items` rows, 0 <= items <= N.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD State<Mass> binary_search(const PrefixSums<Mass, Sums>& sums, Index items) {
  return binary_search(sums, search_range(sums, items), items);
}

/// `found`, or the nearest state with the same number of rows that is ordered after `previous`. If
/// masses differ from the bucket by less than the rounding of the prefix sums, independent searches
/// can contradict each other, but every item must be written exactly once.
template <class Mass, class Sums>
[[nodiscard]] WRSGPU_HD State<Mass> move_after(const PrefixSums<Mass, Sums>& sums,
                                               const State<Mass>& previous,
                                               const State<Mass>& found) {
  if (in_order(previous, found)) return found;
  const Index heavy =
      found.heavy < previous.heavy ? previous.heavy : found.items() - previous.light;
  return state_with(sums, heavy, found.items());
}

}  // namespace wrsgpu::split
