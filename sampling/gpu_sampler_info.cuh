// What the registry knows of a GPU sampler.
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
  /// Where it is described, for example "thesis 3.4.1".
  std::string source;
  std::string summary;
  /// Throws `Error` for options that the sampler cannot have, with the reason.
  std::unique_ptr<GpuSampler> (*make)(const GpuSamplerOptions& options);
  std::vector<GpuGenerator> generators;
  /// Whether it draws section by section: samples come grouped, their order is not random.
  bool sectioned = false;
  /// Whether it draws with another one of these.
  bool chooses = false;
  /// False for samplers whose output is not a random sample (the thesis's `Expected`).
  bool random = true;
  /// Whether it refuses all tables but those of compact rows.
  bool compact_rows_only = false;
  /// Whether it draws blocks of samples and puts each in order, as `DirectSectionedGpuSampler`.
  bool in_blocks = false;
};

}  // namespace wrsgpu
