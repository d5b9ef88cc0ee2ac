#include "construction/alias_table_merge_gpu.cuh"

#include "wrsgpu/detail/build/merge_rows.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

constexpr auto any = [](DeviceTable& table, const auto& use) { table.visit(use); };

}  // namespace

AliasTableMergeGpu::AliasTableMergeGpu(TableOptions options, TableForm form)
    : GpuAliasTable(options), form_(form) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("method gpu_merge does not compute in floating arithmetic; use fixed_point");
}

GpuAliasTable::WriteRows AliasTableMergeGpu::launch_sums(WeightsView weights,
                                                         DeviceWeightSummary* summary,
                                                         DeviceArena& arena,
                                                         cudaStream_t stream) const {
  return detail::launch_merge_sums_for(any, form_, weights, summary, arena, stream).write_rows;
}

void AliasTableMergeGpu::launch(WeightsView weights, DeviceTable& table,
                                DeviceWeightSummary* summary, DeviceArena& arena,
                                cudaStream_t stream) const {
  if (detail::launch_single_tile_for(any, form_, weights, table, summary, arena, stream) !=
      nullptr) {
    return;
  }
  GpuAliasTable::launch(weights, table, summary, arena, stream);
}

}  // namespace wrsgpu
