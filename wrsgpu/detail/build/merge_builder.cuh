// Exact construction on the GPU, by warp-parallel pairing or merge path, beyond the thesis.
#pragma once

#include "wrsgpu/detail/build/device_table_builder.cuh"
#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {

/// Fixed-point alias table of compact rows, built on the GPU in two passes over the weights. The
/// first pass sums tiles; the second builds their rows, by warp-parallel pairing
/// (wrsgpu/detail/warp_pairing/README.md) or by merge path (wrsgpu/detail/merge/README.md). Merge
/// path takes a third pass if warp-parallel pairing does not support the weights. A table of up to
/// 2,048 items takes one launch and one pass. The table is
/// bitwise identical on every run and device, and identical to the one that `TiledSweepBuilder`
/// builds on the host. Temporary storage: 6.1 bytes per item, 0.2 more for the warp-parallel form,
/// plus a constant 1 to 5 KB.
class MergeBuilder final : public DeviceTableBuilder {
 public:
  /// `threads` are host threads, 0 for all hardware threads.
  explicit MergeBuilder(unsigned threads = 0, TableForm form = TableForm::by_size);

  /// From the next construction on also writes each item's probability (item_probabilities.hpp)
  /// to this array in device memory; null for none.
  void write_probabilities_to(float* probabilities) { probabilities_ = probabilities; }

  /// From the next construction on also keeps its tiles, for `write_probabilities_of`; without
  /// `tiles` it does not.
  void keep_tiles_in(const KeptMassTilesOut& kept) { kept_ = kept; }

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override;
  void launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
              DeviceArena& arena, cudaStream_t stream) const override;

  /// Launches what the construction gives beside the rows.
  void launch_extras(WeightsView weights, const DeviceMassTiles& tiles,
                     const DeviceWeightSummary* summary, cudaStream_t stream) const;

  TableForm form_;
  float* probabilities_ = nullptr;
  KeptMassTilesOut kept_;
};

}  // namespace wrsgpu
