#include "cpu_reference/psa.hpp"

#include "cpu_reference/split_and_pack.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

Psa::Psa(TableOptions options, Index section_items)
    : CpuAliasTable(options), section_items_(section_items) {
  if (section_items == 0) throw Error("argument 'section_items' is 0; it must be at least 1");
}

void Psa::do_build(WeightsView weights, const WeightSummary& summary) {
  const unsigned threads = options().threads;
  construct_with(weights, summary, [&](auto masses, auto rows) {
    split_and_pack(partition_items(masses, rows.size(), threads), masses, rows, section_items_,
                   threads);
  });
}

}  // namespace wrsgpu
