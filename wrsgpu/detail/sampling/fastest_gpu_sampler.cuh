// Selects the fastest GPU sampler unless the caller names one.
#pragma once

#include <memory>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"
#include "wrsgpu/sampler_options.hpp"

namespace wrsgpu {

/// Draws as is fastest for the table, the number of samples and the device. In random order the
/// samples are those of `direct`, from whole or 16-bit rows (`with_fastest_rows`); in any order it
/// takes `sectioned` where that is faster (`choose_split_word_sampler`). Supports compact rows
/// only.
class FastestGpuSampler final : public GpuSampler {
 public:
  /// @throws Error as the constructor of `SectionedGpuSampler` does
  FastestGpuSampler(const GpuSamplerOptions& options, SampleOrder order)
      : options_(options), order_(order), sectioned_(options) {}

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
  SampleOrder order_;
  SectionedGpuSampler sectioned_;
};

/// The sampler that the options select.
///
/// @throws Error if the named sampler does not provide the order that the options require
[[nodiscard]] std::unique_ptr<GpuSampler> sampler_of(const WeightedSamplerOptions& options);

}  // namespace wrsgpu
