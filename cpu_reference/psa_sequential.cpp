#include "cpu_reference/psa_sequential.hpp"

#include "cpu_reference/split_and_pack.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

PsaSequential::PsaSequential(TableOptions options, Index section_items)
    : CpuAliasTable(options), section_items_(section_items) {
  if (section_items == 0) throw Error("argument 'section_items' is 0; it must be at least 1");
}

void PsaSequential::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [&](auto masses, auto rows) {
    const auto partition = partition_items(masses, rows.size(), 1);
    const Index sections = section_count(partition.size(), section_items_);
    const auto states = find_splits(partition.prefix_sums(), sections, 1);
    for (Index k = 0; k < sections; ++k) {
      pack::pack<pack::Form::readable>(partition.lists(), masses, rows, states[k], states[k + 1]);
    }
  });
}

}  // namespace wrsgpu
