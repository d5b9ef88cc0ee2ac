// Exact construction on the GPU, by warp-parallel pairing or merge path, beyond the thesis.
#pragma once

#include "wrsgpu/detail/build/device_table_builder.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {

/// Fixed-point alias table of compact rows, built on the GPU in two passes over the weights: one
/// that sums up tiles and one that makes their rows, by warp-parallel pairing
/// (wrsgpu/detail/warp_pairing/README.md) or by a merge (wrsgpu/detail/merge/README.md), which
/// takes a third where lanes find that weights are not supported. The table is the same bits on
/// every run and device, and the one that `TiledSweepBuilder` builds on the host. Temporary
/// storage: 6.1 bytes an item, 0.2 more for the warp-parallel form, and 1 to 5 KB whatever the
/// number of items.
class MergeBuilder final : public DeviceTableBuilder {
 public:
  /// `threads` of the host, 0 for all.
  explicit MergeBuilder(unsigned threads = 0, TableForm form = TableForm::by_size);

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override;

  TableForm form_;
};

}  // namespace wrsgpu
