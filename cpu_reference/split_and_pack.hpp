// The two steps of PSA (thesis 2.4.4) on host threads, by the same functions as on the GPU.
#pragma once

#include <vector>

#include "construction/pack/baseline.hpp"
#include "construction/split/baseline.hpp"
#include "cpu_reference/partition.hpp"
#include "wrsgpu/detail/core/parallel.hpp"

namespace wrsgpu {

/// Number of sections of about `items_of_section` rows in `items` rows.
[[nodiscard]] constexpr Index section_count(Index items, Index items_of_section) {
  return static_cast<Index>((std::uint64_t{items} + items_of_section - 1) / items_of_section);
}

/// Splitting: the `sections` + 1 states that bound as many sections of nearly equal size.
template <class Mass>
[[nodiscard]] std::vector<split::State<Mass>> find_splits(const split::PrefixSums<Mass>& sums,
                                                          Index sections, unsigned threads) {
  const Index items = sums.lights + sums.heavies;
  std::vector<split::State<Mass>> states(sections + std::size_t{1});
  parallel_for(states.size(), threads, [&](std::uint64_t k) {
    const std::uint64_t rows = k < sections ? slice(items, k, sections).begin : items;
    states[k] = split::binary_search(sums, static_cast<Index>(rows));
  });
  for (std::size_t k = 1; k < states.size(); ++k) {
    states[k] = split::move_after(sums, states[k - 1], states[k]);
  }
  return states;
}

/// Splits into sections of about `items_of_section` rows, then packs. The table does not depend on
/// the number of threads; in fixed-point arithmetic it is that of the sweep, for any sections.
template <class Element, class Masses, class Rows>
void split_and_pack(const Partition<Element, typename Masses::Mass>& partition,
                    const Masses& masses, const Rows& rows, Index items_of_section,
                    unsigned threads) {
  const Index sections = section_count(partition.size(), items_of_section);
  const auto states = find_splits(partition.prefix_sums(), sections, threads);
  parallel_for(sections, threads, [&](std::uint64_t k) {
    pack::pack(partition.lists(), masses, rows, states[k], states[k + 1]);
  });
}

}  // namespace wrsgpu
