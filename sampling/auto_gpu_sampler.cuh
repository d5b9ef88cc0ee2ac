// Selects the fastest sampler.
#pragma once

#include <string_view>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Draws with the sampler that is the fastest one for the table, the number of samples and the
/// device (sampling/sampler_choice.hpp; the rule was measured with Philox); from compact rows with
/// one of those that draw split words, which may take 8 bytes a section from the stream's pool.
/// Which one it is decides what the samples are and how they are ordered: use `direct`, or for
/// other rows `baseline`, for samples in random order and the same on every device.
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
