#include "wrsgpu/core/find_by_name.hpp"
#include "wrsgpu/sampling/auto_gpu_sampler.cuh"
#include "wrsgpu/sampling/baseline_gpu_sampler.cuh"
#include "wrsgpu/sampling/cached_gpu_sampler.cuh"
#include "wrsgpu/sampling/direct_gpu_sampler.cuh"
#include "wrsgpu/sampling/direct_packed_gpu_sampler.cuh"
#include "wrsgpu/sampling/direct_sectioned_gpu_sampler.cuh"
#include "wrsgpu/sampling/direct_short_gpu_sampler.cuh"
#include "wrsgpu/sampling/expected_gpu_sampler.cuh"
#include "wrsgpu/sampling/gpu_sampler.cuh"
#include "wrsgpu/sampling/lazy_sectioned_gpu_sampler.cuh"
#include "wrsgpu/sampling/shared_memory_gpu_sampler.cuh"

namespace wrsgpu {
namespace {

template <class S>
std::unique_ptr<GpuSampler> make_gpu_sampler(const GpuSamplerOptions& options) {
  return std::make_unique<S>(options);
}

const std::vector<GpuGenerator> generators_of_whole_tables{
    GpuGenerator::philox, GpuGenerator::xorwow, GpuGenerator::mrg32k3a, GpuGenerator::mtgp32};
/// MTGP32 has one state for each block, which sections cannot share.
const std::vector<GpuGenerator> generators_of_sections{GpuGenerator::philox, GpuGenerator::xorwow,
                                                       GpuGenerator::mrg32k3a};
const std::vector<GpuGenerator> generators_of_lazy_words{GpuGenerator::philox,
                                                         GpuGenerator::philox7};

/// Some sampler has each of them.
const std::vector<GpuGenerator> all_generators{GpuGenerator::philox, GpuGenerator::philox7,
                                               GpuGenerator::xorwow, GpuGenerator::mrg32k3a,
                                               GpuGenerator::mtgp32};

}  // namespace

const std::vector<GpuSamplerInfo>& gpu_samplers() {
  static const std::vector<GpuSamplerInfo> all{
      {.name = "baseline",
       .source = "thesis 3.4.1",
       .summary = "Walker's sampler over the whole table; the samples of the CPU's direct",
       .make = make_gpu_sampler<BaselineGpuSampler>,
       .generators = generators_of_whole_tables},
      {.name = "cached",
       .source = "thesis 3.4.2",
       .summary = "section by section, left to the cache",
       .make = make_gpu_sampler<CachedGpuSampler>,
       .generators = generators_of_sections,
       .sectioned = true},
      {.name = "cached_limited",
       .source = "thesis 3.4.3",
       .summary = "the same, one block at a time on a multiprocessor",
       .make = make_gpu_sampler<LimitedCachedGpuSampler>,
       .generators = generators_of_sections,
       .sectioned = true},
      {.name = "shared_memory",
       .source = "thesis 3.4.4",
       .summary = "section by section, copied to shared memory",
       .make = make_gpu_sampler<SharedMemoryGpuSampler>,
       .generators = generators_of_sections,
       .sectioned = true},
      {.name = "direct",
       .source = "wrsgpu",
       .summary = "baseline for compact rows, with vector stores; the samples of the CPU's lazy",
       .make = make_gpu_sampler<DirectGpuSampler>,
       .generators = generators_of_lazy_words,
       .lazy_words = true},
      {.name = "direct_packed",
       .source = "wrsgpu",
       .summary = "the samples of direct, from rows packed into 4 bytes for each draw",
       .make = make_gpu_sampler<DirectPackedGpuSampler>,
       .generators = generators_of_lazy_words,
       .lazy_words = true},
      {.name = "direct_short",
       .source = "wrsgpu",
       .summary = "the samples of direct, from rows packed into 2 bytes for each draw",
       .make = make_gpu_sampler<DirectShortGpuSampler>,
       .generators = generators_of_lazy_words,
       .lazy_words = true},
      {.name = "direct_sectioned",
       .source = "wrsgpu",
       .summary = "in random order, drawn section by section into blocks that are put in order",
       .make = make_gpu_sampler<DirectSectionedGpuSampler>,
       .generators = generators_of_lazy_words,
       .lazy_words = true,
       .in_blocks = true},
      {.name = "small_table",
       .source = "wrsgpu",
       .summary = "the samples of direct, from a table that fits in shared memory",
       .make = make_gpu_sampler<SmallTableGpuSampler>,
       .generators = generators_of_lazy_words,
       .lazy_words = true},
      {.name = "sectioned",
       .source = "wrsgpu",
       .summary = "shared_memory with 32 random bits for nearly every sample",
       .make = make_gpu_sampler<LazySectionedGpuSampler>,
       .generators = generators_of_lazy_words,
       .sectioned = true,
       .lazy_words = true},
      {.name = "auto",
       .source = "thesis 5.3, Figure 5.9",
       .summary = "the fastest of these for table, samples and device",
       .make = make_gpu_sampler<AutoGpuSampler>,
       .generators = all_generators,
       .chooses = true},
      {.name = "expected",
       .source = "thesis 4.1",
       .summary = "every item as often as expected; not random",
       .make = make_gpu_sampler<ExpectedGpuSampler>,
       .generators = {GpuGenerator::philox},
       .random = false},
  };
  return all;
}

const GpuSamplerInfo& find_gpu_sampler(std::string_view name) {
  return find_by_name(gpu_samplers(), name, "GPU sampler");
}

}  // namespace wrsgpu
