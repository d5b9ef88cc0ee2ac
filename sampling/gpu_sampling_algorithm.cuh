// Base of the structures on the GPU that sample but are no alias tables.
#pragma once

#include <cuda_runtime_api.h>

#include "construction/alias_table.hpp"
#include "construction/sampling_algorithm.hpp"
#include "wrsgpu/detail/sampling/gpu_output.cuh"

namespace wrsgpu {

/// Built and kept in device memory. Their samples are for comparison with those of alias tables, so
/// that building allocates and waits where it likes; drawing only launches.
class GpuSamplingAlgorithm : public SamplingAlgorithm {
 public:
  /// Throws `Error` when there is no GPU.
  explicit GpuSamplingAlgorithm(const TableOptions& options);

  [[nodiscard]] Device device() const final { return Device::cuda; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }

  /// Launches on `stream` what hands `samples` items to `output`: those of `sample`. Throws `Error`
  /// before the first build, and for no samples.
  void draw(const AnyOutput& output, std::uint64_t samples, RandomState state,
            cudaStream_t stream) const;

 protected:
  [[nodiscard]] WeightSummary check(WeightsView weights) const final;
  void do_build(WeightsView weights, const WeightSummary& summary) final;
  void do_sample(std::span<Index> out, RandomState state) const final;

  /// Builds from weights in device memory.
  virtual void build_on_device(WeightsView weights, const WeightSummary& summary) = 0;
  virtual void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                      cudaStream_t stream) const = 0;

 private:
  TableOptions options_;
};

}  // namespace wrsgpu
