// The direct sampler with rows of 4 bytes.
#pragma once

#include "wrsgpu/sampling/gpu_sampler.cuh"
#include "wrsgpu/sampling/packed_rows.cuh"

namespace wrsgpu {

/// The samples of `DirectGpuSampler` from packed rows (`PackedRow`), of which the cache holds twice
/// as many: faster where 8-byte rows do not fit it and 4-byte rows nearly do. The rows are packed
/// for each draw, into memory of the stream's pool, 4 bytes a row, that goes back after the draw: a
/// table may be built anew between draws. Where that takes too long, the
/// caller keeps `PackedRows` and draws from them.
class DirectPackedGpuSampler final : public GpuSampler {
 public:
  /// Throws `Error` for options that do not go together: generators other than philox and philox7.
  explicit DirectPackedGpuSampler(const GpuSamplerOptions& options = {});

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

  /// `GpuSampler::draw` from rows that have been packed.
  void draw_packed(const PackedRowsView& rows, const AnyOutput& output, std::uint64_t samples,
                   RandomState state, cudaStream_t stream) const;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
