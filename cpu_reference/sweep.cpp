#include "cpu_reference/sweep.hpp"

#include <algorithm>

#include "cpu_reference/sweep_items.hpp"
#include "wrsgpu/detail/table/store_row.hpp"

namespace wrsgpu {
namespace {

template <class Masses, class Rows>
void sweep(Masses masses, Rows rows) {
  using Mass = typename Masses::Mass;
  const Index n = rows.size();
  const Mass bucket = masses.bucket;
  const SweepEnd<Mass> stop = sweep_items(masses, rows, 0, n);
  Index light = stop.light;
  Index heavy = stop.heavy;
  Mass left = stop.left;
  if (heavy == n) {  // no item is heavy; each is its own alias
    for (; light < n; ++light) rows.store(light, bucket, light);
    return;
  }
  // Rounding may leave heavy items without light ones: each fills the bucket of the one before.
  for (Index next; (next = next_heavy(masses, heavy + 1, n)) < n; heavy = next) {
    const Mass own = std::min(left, bucket);
    pack::store_row(rows, bucket, heavy, own, next);
    left = masses[next] - (bucket - own);
  }
  // Or light items without a donor: the last heavy item absorbs the difference.
  rows.store(heavy, bucket, heavy);
  for (; light < n; light = next_light(masses, light + 1, n)) {
    pack::store_row(rows, bucket, light, masses[light], heavy);
  }
}

}  // namespace

void Sweep::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [](auto masses, auto rows) { sweep(masses, rows); });
}

}  // namespace wrsgpu
