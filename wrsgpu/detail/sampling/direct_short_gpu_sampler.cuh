// The direct sampler with rows of 2 bytes.
#pragma once

#include "wrsgpu/detail/sampling/packing_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/rows16.cuh"

namespace wrsgpu {

/// Draws the samples of `DirectGpuSampler` from 16-bit rows (`Row16`), falling back to the full
/// rows at escape codes. Four times as many of these fit in the cache, so it is faster if 4-byte
/// rows do not fit in half of the cache and 2-byte rows nearly do. Few draws fall back with tables
/// of `gpu_merge`, whose tiles are as large as sections: with 10^7 items and warp-parallel pairing,
/// 3.7% for uniform weights and 6.6% for i^-1 shuffled (with merge path: 3.6% and 6.0%). Tables
/// whose aliases are anywhere, such as those of the split methods, fall back in 20% and 36% of the
/// draws: the samples are correct, but sampling is slower.
class DirectShortGpuSampler final : public PackingGpuSampler<Rows16View> {
 public:
  using PackingGpuSampler::PackingGpuSampler;

 private:
  void launch_from(const Rows16View& rows, const AnyOutput& output, std::uint64_t samples,
                   RandomState state, cudaStream_t stream) const override;
};

}  // namespace wrsgpu
