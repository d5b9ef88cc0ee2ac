// Brown's method on the GPU (thesis 2.5).
#pragma once

#include "cpu_reference/brown_view.hpp"
#include "sampling/gpu_sampling_algorithm.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu {

/// As `Brown` on the CPU: the same arrays, from the table of `AliasTableMergeGpu`, and the same
/// samples. Fixed-point arithmetic only.
class GpuBrown final : public GpuSamplingAlgorithm {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit GpuBrown(const TableOptions& options);

  [[nodiscard]] std::size_t bytes() const override { return thresholds_.bytes() + items_.bytes(); }

 private:
  [[nodiscard]] std::vector<double> do_probabilities() const override;
  void build_on_device(WeightsView weights, const WeightSummary& summary) override;
  void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
              cudaStream_t stream) const override;

  DeviceBuffer<Index> thresholds_;
  DeviceBuffer<Index> items_;
};

}  // namespace wrsgpu
