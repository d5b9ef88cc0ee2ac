// Exact construction on the GPU, by lanes that sweep or by a merge, beyond the thesis.
#pragma once

#include "wrsgpu/detail/build/device_table_builder.cuh"
#include "wrsgpu/detail/masses/lane_sweep.hpp"

namespace wrsgpu {

/// Launches the pass that checks and sums the weights, and returns what launches the rest; see
/// `DeviceTableBuilder::launch_sums`.
///
/// Fixed-point alias table built on the GPU in two passes over the weights: one that sums up tiles
/// and one that makes their rows, by lanes that sweep (wrsgpu/detail/lane_sweep/README.md) or by a
/// merge (wrsgpu/detail/merge/README.md), which takes a third where lanes find that weights are not
/// suited to them. The table is the same bits on every run and device, and the one that
/// `SectionedSweep` builds on the host. Temporary storage: 6.1 bytes an item, 0.2 more for the
/// swept form, and 1 to 5 KB whatever the number of items.
[[nodiscard]] DeviceTableBuilder::WriteRows launch_merge_sums(TableForm form, WeightsView weights,
                                                              DeviceWeightSummary* summary,
                                                              DeviceArena& arena,
                                                              cudaStream_t stream);

/// Owner of a table that is built so.
class MergeBuilder final : public DeviceTableBuilder {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit MergeBuilder(TableOptions options, TableForm form = TableForm::by_size);

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override {
    return launch_merge_sums(form_, weights, summary, arena, stream);
  }

  TableForm form_;
};

/// Throws the `Error` of a merge in floating-point arithmetic.
void require_fixed_point(const TableOptions& options);

}  // namespace wrsgpu
