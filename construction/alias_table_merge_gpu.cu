#include "construction/alias_table_merge_gpu.cuh"

#include "wrsgpu/detail/build/merge_rows.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

AliasTableMergeGpu::AliasTableMergeGpu(TableOptions options, TableForm form)
    : GpuAliasTable(options), form_(form) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("method gpu_merge does not compute in floating arithmetic; use fixed_point");
}

GpuAliasTable::WriteRows AliasTableMergeGpu::launch_sums(WeightsView weights,
                                                         DeviceWeightSummary* summary,
                                                         DeviceArena& arena,
                                                         cudaStream_t stream) const {
  const auto any = [](DeviceTable& table, const auto& use) { table.visit(use); };
  return detail::launch_merge_sums_for(any, form_, weights, summary, arena, stream).write_rows;
}

}  // namespace wrsgpu
