// Selects the fastest GPU sampler unless the caller names one.
#pragma once

#include <memory>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/sampler_options.hpp"

namespace wrsgpu {

/// Draws with `direct` or `sectioned`, whichever is faster for the table, the number of samples and
/// the device (`choose_split_word_sampler`). Supports compact rows only; samples are in unspecified
/// order.
class FastestGpuSampler final : public GpuSampler {
 public:
  /// @throws Error as the constructors of both samplers do
  explicit FastestGpuSampler(const GpuSamplerOptions& options = {});

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  std::unique_ptr<GpuSampler> direct_;
  std::unique_ptr<GpuSampler> sectioned_;
};

/// The sampler that the options select.
///
/// @throws Error if the named sampler does not provide the order that the options require
[[nodiscard]] std::unique_ptr<GpuSampler> sampler_of(const WeightedSamplerOptions& options);

}  // namespace wrsgpu
