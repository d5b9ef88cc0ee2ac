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
#include "wrsgpu/sampling/gpu_output.cuh"
#include "wrsgpu/sampling/gpu_sampler_options.hpp"

namespace wrsgpu {

/// A way to draw from a table in device memory. Holds no table and no random state: the same
/// arguments give the same samples on one kind of device.
class GpuSampler {
 public:
  GpuSampler() = default;
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;
  virtual ~GpuSampler() = default;

  /// Launches on `stream` what fills `out` (device memory) with exactly out.size() items drawn
  /// from `table`. Does not wait and does not allocate, unless the sampler says otherwise. Throws
  /// `Error` for an empty `out` or table, and for a table that it refuses.
  void sample(const DeviceTable& table, std::span<Index> out, RandomState state,
              cudaStream_t stream) const;

  /// Draws the same samples, as many as asked for, and adds to counts[i] (device memory, one for
  /// each item) how often item i is among them. Throws `Error` for another number of counts, and
  /// what `sample` throws.
  void count(const DeviceTable& table, std::uint64_t samples, std::span<std::uint64_t> counts,
             RandomState state, cudaStream_t stream) const;

  /// Draws the same samples and keeps none, as the thesis does to measure (4.7.2). Writes whether
  /// some thread's samples had an odd sum to `any_odd` (device memory, one element). Throws what
  /// `sample` throws.
  void draw_without_output(const DeviceTable& table, std::uint64_t samples, Index* any_odd,
                           RandomState state, cudaStream_t stream) const;

  /// Why it cannot draw from `table`, or an empty string.
  [[nodiscard]] virtual std::string refusal(const DeviceTable& /*table*/) const { return {}; }

  /// What the three above call. Throws what `sample` throws, the refusal in the message.
  void draw(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
            RandomState state, cudaStream_t stream) const;

 protected:
  /// Launches the draws; there is at least one, and the table has rows.
  virtual void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
                      RandomState state, cudaStream_t stream) const = 0;
};

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
  /// Whether samples take `random::LazyWords` and not the words of `random::philox_word`.
  bool lazy_words = false;
  /// Whether it draws blocks of samples and puts each in order, as `DirectSectionedGpuSampler`.
  bool in_blocks = false;
};

/// All GPU samplers by name; a new one is a file, declared and listed in gpu_registry.cu.
[[nodiscard]] const std::vector<GpuSamplerInfo>& gpu_samplers();
/// Throws `Error` that lists the known names.
[[nodiscard]] const GpuSamplerInfo& find_gpu_sampler(std::string_view name);

}  // namespace wrsgpu
