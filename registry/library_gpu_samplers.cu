// The registry entries of the library's own GPU samplers.
#include "sampling/gpu_sampler_info.cuh"
#include "wrsgpu/detail/sampling/direct_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_packed_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_short_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"

namespace wrsgpu {

GpuSamplerInfo direct_gpu_sampler() {
  return {.name = "direct",
          .source = "wrsgpu",
          .summary = "baseline for compact rows, fastest; the samples of the CPU's direct",
          .make = make_gpu_sampler<DirectGpuSampler>,
          .generators = philox_generators(),
          .compact_rows_only = true};
}

GpuSamplerInfo direct_packed_gpu_sampler() {
  return {.name = "direct_packed",
          .source = "wrsgpu",
          .summary = "the samples of direct, from rows packed into 4 bytes for each draw",
          .make = make_gpu_sampler<DirectPackedGpuSampler>,
          .generators = philox_generators(),
          .compact_rows_only = true};
}

GpuSamplerInfo direct_short_gpu_sampler() {
  return {.name = "direct_short",
          .source = "wrsgpu",
          .summary = "the samples of direct, from rows packed into 2 bytes for each draw",
          .make = make_gpu_sampler<DirectShortGpuSampler>,
          .generators = philox_generators(),
          .compact_rows_only = true};
}

GpuSamplerInfo direct_sectioned_gpu_sampler() {
  return {.name = "direct_sectioned",
          .source = "wrsgpu",
          .summary = "in random order, drawn section by section into blocks that are put in order",
          .make = make_gpu_sampler<DirectSectionedGpuSampler>,
          .generators = philox_generators(),
          .compact_rows_only = true,
          .in_blocks = true};
}

GpuSamplerInfo small_table_gpu_sampler() {
  return {.name = "small_table",
          .source = "wrsgpu",
          .summary = "the samples of direct, from a table that fits in shared memory",
          .make = make_gpu_sampler<SmallTableGpuSampler>,
          .generators = philox_generators(),
          .compact_rows_only = true};
}

GpuSamplerInfo sectioned_gpu_sampler() {
  return {.name = "sectioned",
          .source = "wrsgpu",
          .summary = "shared_memory with 32 random bits for nearly every sample",
          .make = make_gpu_sampler<SectionedGpuSampler>,
          .generators = philox_generators(),
          .sectioned = true,
          .compact_rows_only = true};
}

}  // namespace wrsgpu
