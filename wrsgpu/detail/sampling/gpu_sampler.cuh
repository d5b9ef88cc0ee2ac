// Base of the GPU samplers (thesis 3.4 and 4.7).
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>

#include "wrsgpu/detail/sampling/gpu_output.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler_options.hpp"
#include "wrsgpu/detail/table/device_table.cuh"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu {

/// A sampling method for tables in device memory. Stateless: equal arguments give equal samples on
/// devices of the same kind.
class GpuSampler {
 public:
  GpuSampler() = default;
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;
  virtual ~GpuSampler() = default;

  /// Draws out.size() items from `table`. Launches nothing if `out` is empty.
  ///
  /// @param out in device memory
  /// @throws Error for an empty table, and for one that the sampler rejects
  /// @note Asynchronous on `stream`; no allocation unless the sampler says otherwise.
  void sample(const DeviceTable& table, std::span<Index> out, RandomState state,
              cudaStream_t stream) const;

  /// Draws the same samples as `sample`, and adds the number of occurrences of item i to counts[i].
  ///
  /// @param counts in device memory, one per item
  /// @throws Error for another number of counts, and as `sample` does
  void count(const DeviceTable& table, std::uint64_t samples, std::span<std::uint64_t> counts,
             RandomState state, cudaStream_t stream) const;

  /// Draws the same samples as `sample` and discards them, as the thesis does in measurements
  /// (4.7.2).
  ///
  /// @param any_odd in device memory, one element: set to 1 if the samples of any thread have an
  ///   odd sum, otherwise to 0
  /// @throws Error as `sample` does
  void draw_without_output(const DeviceTable& table, std::uint64_t samples, Index* any_odd,
                           RandomState state, cudaStream_t stream) const;

  /// The reason that the sampler cannot draw from `table`, or an empty string.
  [[nodiscard]] virtual std::string refusal(const DeviceTable& /*table*/) const { return {}; }

  /// Common implementation of the above.
  ///
  /// @throws Error as `sample` does; the message gives the reason
  void draw(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
            RandomState state, cudaStream_t stream) const;

 protected:
  /// Launches the kernels. `samples` is at least 1, and the table has rows.
  virtual void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
                      RandomState state, cudaStream_t stream) const = 0;
};

}  // namespace wrsgpu
