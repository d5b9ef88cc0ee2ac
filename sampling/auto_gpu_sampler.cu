#include "wrsgpu/sampling/auto_gpu_sampler.cuh"

#include <algorithm>

#include "wrsgpu/sampling/gpu_launch.cuh"

namespace wrsgpu {

AutoGpuSampler::AutoGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  const bool by_sections = options.section_rows > 0;
  static_cast<void>(find_gpu_sampler(by_sections ? "shared_memory" : "baseline").make(options));
}

std::string_view AutoGpuSampler::choice(const DeviceTable& table, std::uint64_t samples) const {
  if (options_.generator == GpuGenerator::mtgp32 || options_.blocks > 0) return "baseline";
  // Measured with 132 multiprocessors; what a section costs is shared out among them.
  constexpr std::uint64_t sections_pay = 230'000;  // samples a multiprocessor
  constexpr std::uint64_t copies_pay = 2'300'000;
  const auto multiprocessors =
      static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount));
  const auto cache =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  if (options_.section_rows == 0) {
    // A table that a multiprocessor's cache holds is one section anyway.
    if (table.bytes() <= cache) return "baseline";
    if (samples < std::max<std::uint64_t>(multiprocessors * sections_pay, table.size())) {
      return "baseline";
    }
  }
  return samples < multiprocessors * copies_pay ? "cached_limited" : "shared_memory";
}

void AutoGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                            std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  find_gpu_sampler(choice(table, samples))
      .make(options_)
      ->draw(table, output, samples, state, stream);
}

}  // namespace wrsgpu
