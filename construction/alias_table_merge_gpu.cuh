// Exact construction on the GPU by a merge, beyond the thesis.
#pragma once

#include "wrsgpu/construction/gpu_alias_table.cuh"

namespace wrsgpu {

/// Fixed-point alias table built on the GPU in two passes over the weights: one that sums up tiles
/// and one that makes their rows (construction/merge/README.md). The table is the same bits on
/// every run and device, and the one that `SectionedSweep` builds on the host. Temporary storage: 6
/// bytes an item and 0.1 for its tile.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options);

 private:
  void launch(WeightsView weights, DeviceWeightSummary* summary, DeviceTable& table,
              DeviceArena& arena, cudaStream_t stream) const override;
};

}  // namespace wrsgpu
