// Base of the samplers that draw from compressed rows.
#pragma once

#include <cstddef>
#include <string>

#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/sampling/compressed_table_cache.cuh"
#include "wrsgpu/detail/sampling/gpu_launch.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"

namespace wrsgpu {

/// A sampler that packs the rows of a table for each draw, into memory of the stream's pool that is
/// freed after the draw; the table may be rebuilt between draws. If packing takes too long, the
/// caller can cache the rows in a `CompressedTableCache<View>`, which defines the requirements on
/// `View`.
template <class View>
class PackingGpuSampler : public GpuSampler {
 public:
  using Rows = CompressedTableCache<View>;

  /// @throws Error for unsupported options: generators other than philox and philox7
  explicit PackingGpuSampler(const GpuSamplerOptions& options = {}) : options_(options) {
    check_split_word_options(options);
    check_no_sections(options);
  }

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override {
    return split_word_refusal(table);
  }

  /// `GpuSampler::draw` from packed rows.
  void draw_packed(const View& rows, const AnyOutput& output, std::uint64_t samples,
                   RandomState state, cudaStream_t stream) const {
    if (samples == 0) return;
    launch_from(rows, output, samples, state, stream);
  }

 protected:
  [[nodiscard]] const GpuSamplerOptions& options() const { return options_; }

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const final {
    const PoolBuffer<std::byte> memory(View::bytes(table.size()), stream);
    draw_packed(View::pack(table, memory.data(), stream), output, samples, state, stream);
  }
  /// Launches the kernels. `samples` is at least 1.
  virtual void launch_from(const View& rows, const AnyOutput& output, std::uint64_t samples,
                           RandomState state, cudaStream_t stream) const = 0;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
