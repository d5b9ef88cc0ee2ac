// The direct sampler with rows of 2 bytes.
#pragma once

#include "wrsgpu/detail/sampling/packing_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/rows16.cuh"

namespace wrsgpu {

/// The samples of `DirectGpuSampler` from 16-bit rows (`Row16`), of which the cache holds four
/// times as many, falling back to the full rows at escape codes: faster where 4-byte rows do not
/// fit half of the cache and 2-byte rows nearly do. In tables of `gpu_merge`, whose tiles are as
/// large as sections, whole rows are asked in few draws, of 10^7 items, which lanes sweep, in 3.7%
/// for uniform weights and in 6.6% for i^-1 shuffled (merged: 3.6 and 6.0). Tables whose aliases
/// lie anywhere, as those of the split methods, ask in 20 and 36%: right, but slower.
class DirectShortGpuSampler final : public PackingGpuSampler<Rows16View> {
 public:
  /// Throws `Error` for incompatible options: generators other than philox and philox7.
  explicit DirectShortGpuSampler(const GpuSamplerOptions& options = {});

 private:
  void launch_from(const Rows16View& rows, const AnyOutput& output, std::uint64_t samples,
                   RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
