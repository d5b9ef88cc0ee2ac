#include "sampling/cached_gpu_sampler.cuh"

#include "sampling/cached_kernel.cuh"
#include "sampling/gpu_sampler_info.cuh"
#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/shared_memory.cuh"

namespace wrsgpu {
namespace {

/// The smallest part of a multiprocessor's memory that can be shared memory; slightly more than
/// half of it leaves room for one block, and the rest for the cache.
constexpr int smallest_carveout = 8 << 10;
constexpr std::size_t unused_bytes = 5 << 10;

/// Bytes of shared memory of which a multiprocessor has no room for two blocks, whatever the
/// carveout.
[[nodiscard]] std::size_t more_than_half() {
  const int all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  return static_cast<std::size_t>(all) / 2 + 1024;
}

/// Sets the carveout, at every launch because all of these samplers launch the same kernels, and
/// returns the shared memory to launch with.
template <class Kernel>
[[nodiscard]] std::size_t choose_carveout(Kernel kernel, bool is_limited,
                                          std::optional<Cache> cache) {
  if (!is_limited || cache) set_cache(kernel, cache.value_or(Cache::no_preference));
  if (!is_limited) return 0;
  if (cache) {
    allow_all_shared_memory(kernel);
    return more_than_half();
  }
  const int all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int smallest_percent = (100 * smallest_carveout + all - 1) / all;
  WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                         cudaFuncAttributePreferredSharedMemoryCarveout,
                                         smallest_percent));
  return unused_bytes;
}

}  // namespace

void CachedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                              std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  // The cache is the memory that a multiprocessor could use as shared memory, less a little for
  // lines of the output.
  const auto cache =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const SectionTree sections = tree(table, section_rows(table, cache / 4 * 3), samples, state);
  const unsigned threads = options().block_threads > 0 ? options().block_threads : 1024;
  const unsigned resident = is_limited_ ? 1 : resident_blocks_of(threads);
  const SectionWork shared_out = work(sections, samples, resident, threads);
  with_words(options(), state, [&](const auto& words) {
    with_rows_and_output(table, output, [&](const auto& rows, const auto& out) {
      const auto kernel =
          draw_sections<std::remove_cvref_t<decltype(rows)>, std::remove_cvref_t<decltype(words)>,
                        std::remove_cvref_t<decltype(out)>>;
      const std::size_t unused = choose_carveout(kernel, is_limited_, cache_);
      kernel<<<blocks(sections, shared_out), threads, unused, stream>>>(rows, sections, shared_out,
                                                                        words, out);
      check_launch("CachedGpuSampler draw_sections");
    });
  });
}

GpuSamplerInfo cached_gpu_sampler() {
  return {.name = "cached",
          .source = "thesis 3.4.2",
          .summary = "section by section, left to the cache",
          .make = make_gpu_sampler<CachedGpuSampler>,
          .generators = generators_of_sections(),
          .sectioned = true};
}

GpuSamplerInfo cached_limited_gpu_sampler() {
  return {.name = "cached_limited",
          .source = "thesis 3.4.3",
          .summary = "the same, one block at a time on a multiprocessor",
          .make = make_gpu_sampler<LimitedCachedGpuSampler>,
          .generators = generators_of_sections(),
          .sectioned = true};
}

}  // namespace wrsgpu
