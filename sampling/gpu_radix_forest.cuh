// The radix forest of Binder and Keller on the GPU (thesis 2.7).
#pragma once

#include "cpu_reference/radix_forest_view.hpp"
#include "sampling/gpu_monotone_method.cuh"

namespace wrsgpu {

/// As `RadixForest` on the CPU, with one cell per item: builds the same forest, draws the same
/// samples. The threads of a warp wait for the one that descends deepest.
class GpuRadixForest final : public GpuMonotoneMethod {
 public:
  using GpuMonotoneMethod::GpuMonotoneMethod;

  [[nodiscard]] std::size_t bytes() const override { return nodes_.bytes() + roots_.bytes(); }

 private:
  [[nodiscard]] RadixForestView<std::uint64_t> view() const;
  [[nodiscard]] std::vector<double> do_probabilities() const override;
  /// Throws `Error` for more than `max_radix_forest_items` items.
  void build_on_device(WeightsView weights, const WeightSummary& summary) override;
  void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
              cudaStream_t stream) const override;
  void launch_find(std::span<const std::uint64_t> words, Index* out,
                   cudaStream_t stream) const override;

  DeviceBuffer<RadixNode<std::uint64_t>> nodes_;
  DeviceBuffer<Index> roots_;  // one per item
};

}  // namespace wrsgpu
