#include "wrsgpu/sampling/auto_gpu_sampler.cuh"

#include "wrsgpu/sampling/gpu_launch.cuh"
#include "wrsgpu/sampling/sampler_choice.hpp"

namespace wrsgpu {

AutoGpuSampler::AutoGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  const bool by_sections = options.section_rows > 0;
  static_cast<void>(find_gpu_sampler(by_sections ? "shared_memory" : "baseline").make(options));
}

std::string_view AutoGpuSampler::choice(const DeviceTable& table, std::uint64_t samples) const {
  if (options_.generator == GpuGenerator::mtgp32 || options_.blocks > 0) return "baseline";
  const SamplingDevice device{
      static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount)),
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)),
      static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize))};
  if (table.layout() == Layout::compact_rows && options_.generator == GpuGenerator::philox &&
      options_.section_rows == 0) {
    return choose_lazy_sampler(table.size(), samples, device);
  }
  const std::string_view best = choose_sampler(table.size(), table.bytes(), samples, device);
  if (options_.section_rows == 0) return best;
  // Baseline has no sections, and a block may have no room for those that are wanted.
  const std::size_t section_bytes = table.bytes() / table.size() * options_.section_rows;
  const auto most =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return best == "shared_memory" && section_bytes < most - 2048 ? best : "cached_limited";
}

void AutoGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                            std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  find_gpu_sampler(choice(table, samples))
      .make(options_)
      ->draw(table, output, samples, state, stream);
}

}  // namespace wrsgpu
