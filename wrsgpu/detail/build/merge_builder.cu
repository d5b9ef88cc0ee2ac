#include "wrsgpu/detail/build/merge_builder.cuh"

#include <string>

#include "wrsgpu/detail/build/merge_rows.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

DeviceTableBuilder::WriteRows MergeBuilder::launch_sums(WeightsView weights,
                                                        DeviceWeightSummary* summary,
                                                        DeviceArena& arena,
                                                        cudaStream_t stream) const {
  const auto compact = [](DeviceTable& table, const auto& use) { use(table.compact_rows()); };
  return detail::launch_merge_sums_for(compact, form_, weights, summary, arena, stream);
}

MergeBuilder::MergeBuilder(unsigned threads, TableForm form)
    : DeviceTableBuilder({Arithmetic::fixed_point, Layout::compact_rows, threads}), form_(form) {}

}  // namespace wrsgpu
