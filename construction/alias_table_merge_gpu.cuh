// Exact construction on the GPU, by lanes that sweep or by a merge, beyond the thesis.
#pragma once

#include "wrsgpu/construction/gpu_alias_table.cuh"
#include "wrsgpu/construction/lane_sweep.hpp"

namespace wrsgpu {

/// Fixed-point alias table built on the GPU in two passes over the weights: one that sums up tiles
/// and one that makes their rows, by lanes that sweep (construction/lane_sweep/README.md) or by a
/// merge (construction/merge/README.md), which takes a third where lanes find that weights are not
/// suited to them. The table is the same bits on every run and device, and the one that
/// `SectionedSweep` builds on the host. Temporary storage: 6.1 bytes an item, 0.2 more for the
/// swept form, and 1 to 5 KB whatever the number of items.
class AliasTableMergeGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit AliasTableMergeGpu(TableOptions options, TableForm form = TableForm::by_size);

 private:
  void launch(WeightsView weights, DeviceWeightSummary* summary, DeviceTable& table,
              DeviceArena& arena, cudaStream_t stream) const override;
  template <class T>
  void launch_merged(std::span<const T> weights, DeviceWeightSummary* summary, DeviceTable& table,
                     DeviceArena& arena, cudaStream_t stream) const;
  template <class T>
  void launch_swept(std::span<const T> weights, DeviceWeightSummary* summary, DeviceTable& table,
                    DeviceArena& arena, cudaStream_t stream) const;

  TableForm form_;
};

}  // namespace wrsgpu
