// The library's exact construction on the GPU as a method, in every layout, for comparison with the
// thesis's methods.
#pragma once

#include "construction/gpu_alias_table.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {

/// Fixed-point alias table of `MergeBuilder`, which itself has compact rows only: bitwise identical
/// on every run and device, and identical to the table of `TiledSweep` on the host.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options, TableForm form = TableForm::by_size);

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override;
  void launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
              DeviceArena& arena, cudaStream_t stream) const override;

  TableForm form_;
};

}  // namespace wrsgpu
