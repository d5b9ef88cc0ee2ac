#include "wrsgpu/cpu_reference/sweep.hpp"

#include <algorithm>

#include "wrsgpu/construction/pack/store_row.hpp"

namespace wrsgpu {
namespace {

template <class Masses, class Rows>
void sweep(Masses masses, Rows rows) {
  using Mass = typename Masses::Mass;
  const Index n = rows.size();
  const Mass bucket = masses.bucket;
  const auto next_light = [&](Index i) {
    while (i < n && masses[i] > bucket) ++i;
    return i;
  };
  const auto next_heavy = [&](Index j) {
    while (j < n && !(masses[j] > bucket)) ++j;
    return j;
  };
  Index light = next_light(0);
  Index heavy = next_heavy(0);
  Mass left = heavy < n ? masses[heavy] : Mass{0};  // of the heavy item at `heavy`
  while (heavy < n) {
    if (left > bucket && light < n) {
      const Mass own = masses[light];
      pack::store_row(rows, bucket, light, own, heavy);
      left -= bucket - own;
      light = next_light(light + 1);
    } else {
      // The heavy item has become light: it keeps what is left, and the next one fills its bucket.
      const Index next = next_heavy(heavy + 1);
      if (next == n) break;
      const Mass own = std::min(left, bucket);
      pack::store_row(rows, bucket, heavy, own, next);
      left = masses[next] - (bucket - own);
      heavy = next;
    }
  }
  // Rounding may leave light items without a donor: the last heavy item, if there is one, absorbs
  // the difference; a light item stands for itself only when no item is heavy.
  if (heavy < n) rows.store(heavy, bucket, heavy);
  for (; light < n; light = next_light(light + 1)) {
    if (heavy < n) {
      pack::store_row(rows, bucket, light, masses[light], heavy);
    } else {
      rows.store(light, bucket, light);
    }
  }
}

}  // namespace

void Sweep::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [](auto masses, auto rows) { sweep(masses, rows); });
}

}  // namespace wrsgpu
