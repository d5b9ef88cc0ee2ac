// The library's exact construction on the GPU, in every layout, beside those of the thesis.
#pragma once

#include "construction/gpu_alias_table.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {

/// Fixed-point alias table of `MergeBuilder`, which has compact rows only: the same bits on every
/// run and device, and the table that `TiledSweep` builds on the host.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options, TableForm form = TableForm::by_size);

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override;

  TableForm form_;
};

}  // namespace wrsgpu
