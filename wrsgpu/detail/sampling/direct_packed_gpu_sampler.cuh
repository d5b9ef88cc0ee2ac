// The direct sampler with rows of 4 bytes.
#pragma once

#include "wrsgpu/detail/sampling/packed_rows.cuh"
#include "wrsgpu/detail/sampling/packing_gpu_sampler.cuh"

namespace wrsgpu {

/// Draws the samples of `DirectGpuSampler` from packed rows (`PackedRow`). Twice as many of these
/// fit in the cache, so it is faster if 8-byte rows do not fit and 4-byte rows nearly do.
class DirectPackedGpuSampler final : public PackingGpuSampler<PackedRowsView> {
 public:
  using PackingGpuSampler::PackingGpuSampler;

 private:
  void launch_from(const PackedRowsView& rows, const AnyOutput& output, std::uint64_t samples,
                   RandomState state, cudaStream_t stream) const override;
};

}  // namespace wrsgpu
