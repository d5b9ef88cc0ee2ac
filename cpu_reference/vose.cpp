#include "cpu_reference/vose.hpp"

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/table/store_row.hpp"

namespace wrsgpu {
namespace {

template <class Masses, class Rows>
void vose(Masses masses, Rows rows) {
  using Mass = typename Masses::Mass;
  using Item = pack::ItemMass<Mass>;
  const Index n = rows.size();
  const Mass bucket = masses.bucket;
  // The stack of light items grows from the front, that of heavy items from the back. No item is on
  // both, so they never meet.
  HostBuffer<Item> stacks(n);
  Item* light_top = stacks.data();
  Item* heavy_top = stacks.data() + n;
  Item* const heavy_bottom = heavy_top;
  for (Index i = 0; i < n; ++i) {
    const Item item{i, masses[i]};
    if (item.mass > bucket) {
      *--heavy_top = item;
    } else {
      *light_top++ = item;
    }
  }
  const bool any_heavy = heavy_top != heavy_bottom;

  Item heavy{};
  while (light_top != stacks.data() && heavy_top != heavy_bottom) {
    const Item light = *--light_top;
    heavy = *heavy_top;
    pack::store_row(rows, bucket, item_of(light), light.mass, item_of(heavy));
    heavy.mass -= bucket - light.mass;
    if (heavy.mass > bucket) {
      *heavy_top = heavy;
    } else {
      ++heavy_top;
      *light_top++ = heavy;
    }
  }
  // The remaining items have a full bucket, up to rounding (thesis 4.2).
  for (; heavy_top != heavy_bottom; ++heavy_top) {
    rows.store(item_of(*heavy_top), bucket, item_of(*heavy_top));
  }
  if (light_top != stacks.data() && any_heavy) {
    // The item on top was the last heavy one; it absorbs the rounding errors of all others, which
    // may have weight zero and must then never be drawn.
    --light_top;
    rows.store(item_of(heavy), bucket, item_of(heavy));
    while (light_top != stacks.data()) {
      const Item light = *--light_top;
      pack::store_row(rows, bucket, item_of(light), light.mass, item_of(heavy));
    }
  }
  while (light_top != stacks.data()) {
    const Item light = *--light_top;
    rows.store(item_of(light), bucket, item_of(light));
  }
}

}  // namespace

void Vose::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [](auto masses, auto rows) { vose(masses, rows); });
}

}  // namespace wrsgpu
