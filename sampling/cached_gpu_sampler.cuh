// Cached sectioned sampling, and its limited form (thesis 3.4.2 and 3.4.3).
#pragma once

#include <optional>

#include "construction/cache.cuh"
#include "sampling/section_sampler_base.cuh"

namespace wrsgpu {

/// Reads the section from global memory, and relies on the L1 cache.
class CachedGpuSampler : public SectionSamplerBase {
 public:
  explicit CachedGpuSampler(const GpuSamplerOptions& options = {})
      : CachedGpuSampler(options, false) {}

 protected:
  CachedGpuSampler(const GpuSamplerOptions& options, bool is_limited,
                   std::optional<Cache> cache = std::nullopt)
      : SectionSamplerBase(options), is_limited_(is_limited), cache_(cache) {}

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  bool is_limited_;
  std::optional<Cache> cache_;
};

/// `CachedGpuSampler` with one resident block per multiprocessor, so that sections do not evict
/// each other from its cache. Unused shared memory prevents other blocks from becoming resident: a
/// little, with the smallest carveout for shared memory, or, with a preference (thesis 4.8.5), more
/// than half of what a multiprocessor has, which suffices with any carveout.
class LimitedCachedGpuSampler final : public CachedGpuSampler {
 public:
  explicit LimitedCachedGpuSampler(const GpuSamplerOptions& options = {},
                                   std::optional<Cache> cache = std::nullopt)
      : CachedGpuSampler(options, true, cache) {}
};

}  // namespace wrsgpu
