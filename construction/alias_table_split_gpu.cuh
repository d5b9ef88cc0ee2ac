// The thesis's construction on the GPU: partition, prefix sums, split, pack (thesis 4.1).
#pragma once

#include "wrsgpu/construction/gpu_alias_table.cuh"

namespace wrsgpu {

/// How the splits are found; each is described in construction/split/<name>.cuh.
enum class SplitMethod { baseline };
/// How the sections are written; each is described in construction/pack/<name>.cuh.
enum class PackMethod { baseline, baseline_branched };

struct SplitGpuOptions {
  SplitMethod split = SplitMethod::baseline;
  PackMethod pack = PackMethod::baseline;
  /// Rows per section; a section is packed by one thread.
  Index section_items = 32;
};

/// Alias table built on the GPU from splits. In fixed-point arithmetic the table is, bit for bit,
/// the one of the sequential sweep, whatever the options; in floating-point arithmetic it can
/// differ in the last bits from run to run, because CUB's scan adds in no fixed order.
class AliasTableSplitGpu final : public GpuAliasTable {
 public:
  AliasTableSplitGpu(TableOptions options, SplitGpuOptions method);

 private:
  void launch(WeightsView weights, const DeviceWeightSummary* summary, DeviceTable& table,
              DeviceArena& arena, cudaStream_t stream) const override;

  SplitGpuOptions method_;
};

}  // namespace wrsgpu
