#include "cpu_reference/walker.hpp"

#include <algorithm>
#include <vector>

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/table/store_row.hpp"

namespace wrsgpu {
namespace {

template <class Masses, class Rows>
void walker(Masses masses, Rows rows) {
  using Mass = typename Masses::Mass;
  using Item = pack::ItemMass<Mass>;
  const Index n = rows.size();
  const Mass bucket = masses.bucket;
  std::vector<Item> items;
  items.reserve(n);
  for (Index i = 0; i < n; ++i) items.push_back({i, masses[i]});

  for (; items.size() > 1; items.pop_back()) {
    const auto [emptiest, fullest] = std::minmax_element(
        items.begin(), items.end(), [](const Item& a, const Item& b) { return a.mass < b.mass; });
    // Rounding may leave even the emptiest bucket slightly overfull.
    const Mass own = std::min(emptiest->mass, bucket);
    pack::store_row(rows, bucket, item_of(*emptiest), own, item_of(*fullest));
    fullest->mass -= bucket - own;
    *emptiest = items.back();
  }
  for (const Item& last : items) rows.store(item_of(last), bucket, item_of(last));
}

}  // namespace

void Walker::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [](auto masses, auto rows) { walker(masses, rows); });
}

}  // namespace wrsgpu
