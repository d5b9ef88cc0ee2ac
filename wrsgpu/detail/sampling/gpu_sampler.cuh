// Base of the samplers on the GPU (thesis 3.4 and 4.7).
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>

#include "wrsgpu/detail/sampling/gpu_output.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler_options.hpp"
#include "wrsgpu/detail/table/device_table.cuh"
#include "wrsgpu/random_state.hpp"

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
  /// from `table`. Does not wait and does not allocate, unless the sampler says otherwise.
  /// Launches nothing for an empty `out`. Throws `Error` for an empty table, and for one that it
  /// refuses.
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

}  // namespace wrsgpu
