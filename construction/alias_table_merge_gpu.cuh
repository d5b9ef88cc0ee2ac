// The library's exact construction on the GPU, beside those of the thesis.
#pragma once

#include "construction/gpu_alias_table.cuh"
#include "wrsgpu/detail/build/merge_builder.cuh"

namespace wrsgpu {

/// Fixed-point alias table of `launch_merge_sums`: the same bits on every run and device, and the
/// table that `SectionedSweep` builds on the host.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options, TableForm form = TableForm::by_size)
      : GpuAliasTable(options), form_(form) {
    require_fixed_point(options);
  }

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override {
    return launch_merge_sums(form_, weights, summary, arena, stream);
  }

  TableForm form_;
};

}  // namespace wrsgpu
