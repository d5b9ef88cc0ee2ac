// Base of the samplers on the GPU (thesis 3.4 and 4.7).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/construction/gpu_alias_table.cuh"
#include "wrsgpu/random/random_state.hpp"

namespace wrsgpu {

/// A way to draw from a table in device memory. Holds no table and no random state: the same
/// arguments give the same samples.
class GpuSampler {
 public:
  GpuSampler() = default;
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;
  virtual ~GpuSampler() = default;

  /// Launches on `stream` what fills `out` (device memory) with exactly out.size() items drawn
  /// from `table`. Does not wait and does not allocate. Throws `Error` for an empty `out` or table.
  virtual void sample(const DeviceTable& table, std::span<Index> out, RandomState state,
                      cudaStream_t stream) const = 0;
};

struct GpuSamplerInfo {
  std::string name;
  /// Where it is described, for example "thesis 3.4.1".
  std::string source;
  std::string summary;
  std::function<std::unique_ptr<GpuSampler>()> make;
};

/// All GPU samplers by name; a new one adds itself with one entry.
[[nodiscard]] const std::vector<GpuSamplerInfo>& gpu_samplers();
/// Throws `Error` that lists the known names.
[[nodiscard]] const GpuSamplerInfo& find_gpu_sampler(std::string_view name);

}  // namespace wrsgpu
