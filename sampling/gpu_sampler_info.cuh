// Registry entry of a GPU sampler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// For `GpuSamplerInfo::make`.
template <class S>
[[nodiscard]] std::unique_ptr<GpuSampler> make_gpu_sampler(const GpuSamplerOptions& options) {
  return std::make_unique<S>(options);
}

struct GpuSamplerInfo {
  std::string name;
  /// Publication and section, for example "thesis 3.4.1".
  std::string source;
  std::string summary;
  /// Throws `Error` for unsupported options, with the reason.
  std::unique_ptr<GpuSampler> (*make)(const GpuSamplerOptions& options);
  std::vector<GpuGenerator> generators;
  /// True if it draws section by section: samples are grouped, not in random order.
  bool sectioned = false;
  /// True if it selects another of these samplers.
  bool chooses = false;
  /// False for samplers whose output is not a random sample (the thesis's `Expected`).
  bool random = true;
  /// True if it supports compact rows only.
  bool compact_rows_only = false;
  /// True if it draws blocks of samples and permutes each, as `DirectSectionedGpuSampler` does.
  bool in_blocks = false;
};

}  // namespace wrsgpu
