// Selects the fastest sampler.
#pragma once

#include <string_view>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Selects the fastest sampler for the table, the number of samples and the device
/// (sampling/sampler_choice.hpp; the rule was measured with Philox). For compact rows it is one of
/// those with split words, which may allocate 8 bytes per section from the stream's pool. Samples
/// and their order depend on the selection: use `direct`, or `baseline` for other rows, for samples
/// in random order that are equal on every device.
class AutoGpuSampler final : public GpuSampler {
 public:
  /// Throws `Error` for options that no sampler supports. Options exclude the samplers that do not
  /// support them: `section_rows` and `section_counts` exclude those without sections, MTGP32 and
  /// `blocks` those that draw by sections (except `sectioned`, which supports `blocks` with
  /// `section_rows` and 7 rounds), Philox of 7 rounds those without split words.
  explicit AutoGpuSampler(const GpuSamplerOptions& options = {});

  /// Name of the sampler that draws `samples` from `table`.
  [[nodiscard]] std::string_view choice(const DeviceTable& table, std::uint64_t samples) const;

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
