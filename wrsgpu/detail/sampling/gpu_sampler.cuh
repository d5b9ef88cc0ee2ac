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

/// A sampling method for tables in device memory. Holds neither a table nor random state: equal
/// arguments give equal samples on one kind of device.
class GpuSampler {
 public:
  GpuSampler() = default;
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;
  virtual ~GpuSampler() = default;

  /// Draws out.size() items from `table` into `out` (device memory), on `stream`. Asynchronous,
  /// without allocation, unless the sampler says otherwise. Launches nothing for an empty `out`.
  /// Throws `Error` for an empty table, and for one that it rejects.
  void sample(const DeviceTable& table, std::span<Index> out, RandomState state,
              cudaStream_t stream) const;

  /// Draws the same samples, and adds the number of times that item i occurs to counts[i] (device
  /// memory, one per item). Throws `Error` for another number of counts, and what `sample` throws.
  void count(const DeviceTable& table, std::uint64_t samples, std::span<std::uint64_t> counts,
             RandomState state, cudaStream_t stream) const;

  /// Draws the same samples and discards them, as the thesis does to measure (4.7.2). Writes to
  /// `any_odd` (device memory, one element) whether any thread's samples had an odd sum. Throws
  /// what `sample` throws.
  void draw_without_output(const DeviceTable& table, std::uint64_t samples, Index* any_odd,
                           RandomState state, cudaStream_t stream) const;

  /// The reason that it cannot draw from `table`, or an empty string.
  [[nodiscard]] virtual std::string refusal(const DeviceTable& /*table*/) const { return {}; }

  /// Common implementation of the three above. Throws what `sample` throws; the message gives the
  /// reason.
  void draw(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
            RandomState state, cudaStream_t stream) const;

 protected:
  /// Launches at least one draw; the table has rows.
  virtual void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
                      RandomState state, cudaStream_t stream) const = 0;
};

}  // namespace wrsgpu
