// The thesis's `Expected` sampler for tables in device memory (thesis 4.1, Figure 4.5).
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Every item as often as expected, in ascending order, as in `ExpectedSampler` on the CPU, to show
/// the content of a table. Not random, and not fast: computed on the host, so that drawing
/// synchronises and allocates.
class ExpectedGpuSampler final : public GpuSampler {
 public:
  explicit ExpectedGpuSampler(const GpuSamplerOptions& options = {});

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;
};

}  // namespace wrsgpu
