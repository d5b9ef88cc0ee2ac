// The scan method on the GPU, with a binary search (thesis 2.1).
#pragma once

#include "sampling/gpu_monotone_method.cuh"

namespace wrsgpu {

/// Bisects the intervals: O(log N) per sample. Draws the samples of `ScanBinary` on the CPU.
class GpuScan final : public GpuIntervalMethod {
 public:
  using GpuIntervalMethod::GpuIntervalMethod;

 private:
  void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
              cudaStream_t stream) const override;
  void launch_find(std::span<const std::uint64_t> words, Index* out,
                   cudaStream_t stream) const override;
};

}  // namespace wrsgpu
