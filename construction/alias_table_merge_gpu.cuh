// The library's exact construction on the GPU, beside those of the thesis.
#pragma once

#include "construction/gpu_alias_table.cuh"
#include "wrsgpu/detail/build/merge_builder.cuh"

namespace wrsgpu {

/// Fixed-point alias table of `launch_merge`: the same bits on every run and device, and the table
/// that `SectionedSweep` builds on the host.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options, TableForm form = TableForm::by_size)
      : GpuAliasTable(options), form_(form) {
    require_fixed_point(options);
  }

 private:
  void launch(WeightsView weights, DeviceWeightSummary* summary, DeviceTable& table,
              DeviceArena& arena, cudaStream_t stream) const override {
    launch_merge(form_, weights, summary, table, arena, stream);
  }

  TableForm form_;
};

}  // namespace wrsgpu
