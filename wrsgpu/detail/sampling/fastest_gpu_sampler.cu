#include "wrsgpu/detail/sampling/fastest_gpu_sampler.cuh"

#include "wrsgpu/detail/sampling/direct_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_packed_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_rows.cuh"
#include "wrsgpu/detail/sampling/direct_sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_short_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/fastest_sampler.hpp"
#include "wrsgpu/detail/sampling/sampling_device.cuh"
#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/split_word_table.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

std::string FastestGpuSampler::refusal(const DeviceTable& table) const {
  return split_word_refusal(table);
}

void FastestGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                               std::uint64_t samples, RandomState state,
                               cudaStream_t stream) const {
  if (order_ == SampleOrder::any &&
      choose_split_word_sampler(table.size(), samples, current_sampling_device()) == "sectioned") {
    sectioned_.draw(table, output, samples, state, stream);
    return;
  }
  with_fastest_rows(table, samples, stream, [&](const auto& rows) {
    launch_draw_directly(rows, options_, output, samples, state, stream);
  });
}

std::unique_ptr<GpuSampler> sampler_of(const WeightedSamplerOptions& options) {
  const GpuSamplerOptions draws{.generator = options.generator == Generator::philox7
                                                 ? GpuGenerator::philox7
                                                 : GpuGenerator::philox};
  const bool in_any_order = options.order == SampleOrder::any;
  switch (options.sampler) {
    case SamplerChoice::automatic: return std::make_unique<FastestGpuSampler>(draws, options.order);
    case SamplerChoice::direct: return std::make_unique<DirectGpuSampler>(draws);
    case SamplerChoice::direct_packed: return std::make_unique<DirectPackedGpuSampler>(draws);
    case SamplerChoice::direct_short: return std::make_unique<DirectShortGpuSampler>(draws);
    case SamplerChoice::direct_sectioned: return std::make_unique<DirectSectionedGpuSampler>(draws);
    case SamplerChoice::small_table: return std::make_unique<SmallTableGpuSampler>(draws);
    case SamplerChoice::sectioned: break;
  }
  if (!in_any_order) {
    throw Error(
        "sampler sectioned gives samples grouped by section, and option 'order' is random; set it "
        "to SampleOrder::any, or use sampler direct_sectioned");
  }
  return std::make_unique<SectionedGpuSampler>(draws);
}

}  // namespace wrsgpu
