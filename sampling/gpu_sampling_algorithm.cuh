// Base of the GPU structures for sampling that are not alias tables.
#pragma once

#include <cuda_runtime_api.h>

#include "construction/alias_table.hpp"
#include "construction/sampling_algorithm.hpp"
#include "wrsgpu/detail/sampling/gpu_output.cuh"

namespace wrsgpu {

/// Built and stored in device memory. They serve for comparison with alias tables, so building may
/// allocate and synchronise at any time; drawing only launches kernels.
class GpuSamplingAlgorithm : public SamplingAlgorithm {
 public:
  /// Throws `Error` when there is no GPU.
  explicit GpuSamplingAlgorithm(const TableOptions& options);

  [[nodiscard]] Device device() const final { return Device::cuda; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }

  /// Draws the samples of `sample` and passes them to `output`. Throws `Error` before the first
  /// build, and if `samples` is 0.
  ///
  /// @note Asynchronous on `stream`.
  void draw(const AnyOutput& output, std::uint64_t samples, RandomState state,
            cudaStream_t stream) const;

 protected:
  [[nodiscard]] WeightSummary check(WeightsView weights) const final;
  void do_build(WeightsView weights, const WeightSummary& summary) final;
  void do_sample(std::span<Index> out, RandomState state) const final;

  /// Builds from weights in device memory. In fixed-point arithmetic, `summary` has only the size:
  /// `masses_on_device` checks the weights before anything is changed.
  virtual void build_on_device(WeightsView weights, const WeightSummary& summary) = 0;
  virtual void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                      cudaStream_t stream) const = 0;

 private:
  TableOptions options_;
};

}  // namespace wrsgpu
