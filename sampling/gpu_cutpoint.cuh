// The cutpoint method of Fishman and Moore on the GPU (thesis 2.2).
#pragma once

#include "sampling/gpu_monotone_method.cuh"

namespace wrsgpu {

/// As `Cutpoint` on the CPU, with one segment per item; draws the same samples. The threads of a
/// warp wait for the one whose segment holds most items.
class GpuCutpoint final : public GpuIntervalMethod {
 public:
  using GpuIntervalMethod::GpuIntervalMethod;

  [[nodiscard]] std::size_t bytes() const override {
    return GpuIntervalMethod::bytes() + first_item_.bytes();
  }

 private:
  void build_on_device(WeightsView weights, const WeightSummary& summary) override;
  void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
              cudaStream_t stream) const override;
  void launch_find(std::span<const std::uint64_t> words, Index* out,
                   cudaStream_t stream) const override;

  DeviceBuffer<Index> first_item_;  // one per segment
};

}  // namespace wrsgpu
