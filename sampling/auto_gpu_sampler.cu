#include "sampling/auto_gpu_sampler.cuh"

#include "sampling/baseline_gpu_sampler.cuh"
#include "sampling/cached_gpu_sampler.cuh"
#include "sampling/gpu_sampler_info.cuh"
#include "sampling/sampler_choice.hpp"
#include "sampling/shared_memory_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/gpu_launch.cuh"
#include "wrsgpu/detail/sampling/sampling_device.cuh"
#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"

namespace wrsgpu {

namespace {

bool has_7_rounds(const GpuSamplerOptions& options) {
  return options.generator == GpuGenerator::philox7;
}
bool needs_sections(const GpuSamplerOptions& options) {
  return options.section_rows > 0 || options.section_counts != SectionCounts::exact;
}

[[nodiscard]] std::unique_ptr<GpuSampler> make(std::string_view name,
                                               const GpuSamplerOptions& options) {
  if (name == "direct") return make_gpu_sampler<DirectGpuSampler>(options);
  if (name == "sectioned") return make_gpu_sampler<SectionedGpuSampler>(options);
  if (name == "shared_memory") return make_gpu_sampler<SharedMemoryGpuSampler>(options);
  if (name == "cached_limited") return make_gpu_sampler<LimitedCachedGpuSampler>(options);
  return make_gpu_sampler<BaselineGpuSampler>(options);
}

}  // namespace

AutoGpuSampler::AutoGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  const bool by_sections = needs_sections(options);
  const std::string_view any = has_7_rounds(options) ? (by_sections ? "sectioned" : "direct")
                                                     : (by_sections ? "shared_memory" : "baseline");
  static_cast<void>(make(any, options));
}

std::string AutoGpuSampler::refusal(const DeviceTable& table) const {
  if (!has_7_rounds(options_)) return {};
  // Options for sections select that sampler for any number of samples.
  return needs_sections(options_) ? make("sectioned", options_)->refusal(table)
                                  : split_word_refusal(table);
}

std::string_view AutoGpuSampler::choice(const DeviceTable& table, std::uint64_t samples) const {
  const bool by_sections = needs_sections(options_);
  if (has_7_rounds(options_) && by_sections) return "sectioned";
  if (options_.blocks > 0) return has_7_rounds(options_) ? "direct" : "baseline";
  if (options_.generator == GpuGenerator::mtgp32) return "baseline";
  const SamplingDevice device = current_sampling_device();
  const bool takes_compact_rows = table.layout() == Layout::compact_rows &&
                                  options_.generator == GpuGenerator::philox && !by_sections;
  if (has_7_rounds(options_) || takes_compact_rows) {
    return choose_split_word_sampler(table.size(), samples, device);
  }
  const std::string_view best = choose_sampler(table.size(), table.bytes(), samples, device);
  if (!by_sections) return best;
  // Baseline has no sections, and the requested ones may not fit in the shared memory of a block.
  const bool is_best = best == "shared_memory" && make(best, options_)->refusal(table).empty();
  return is_best ? best : "cached_limited";
}

void AutoGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                            std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  make(choice(table, samples), options_)->draw(table, output, samples, state, stream);
}

GpuSamplerInfo auto_gpu_sampler() {
  // Each generator is supported by some sampler.
  return {.name = "auto",
          .source = "thesis 5.3, Figure 5.9",
          .summary = "the fastest of these for table, samples and device",
          .make = make_gpu_sampler<AutoGpuSampler>,
          .generators = {GpuGenerator::philox, GpuGenerator::philox7, GpuGenerator::xorwow,
                         GpuGenerator::mrg32k3a, GpuGenerator::mtgp32},
          .chooses = true};
}

}  // namespace wrsgpu
