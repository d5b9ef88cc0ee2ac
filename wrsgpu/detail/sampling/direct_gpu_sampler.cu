#include "wrsgpu/detail/sampling/direct_gpu_sampler.cuh"

#include "wrsgpu/detail/sampling/direct_kernel.cuh"

namespace wrsgpu {

DirectGpuSampler::DirectGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  check_split_word_options(options);
  check_no_sections(options);
}

std::string DirectGpuSampler::refusal(const DeviceTable& table) const {
  return split_word_refusal(table);
}

void DirectGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                              std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  launch_draw_directly(WholeRows{compact_rows(table), table.size()}, options_, output, samples,
                       state, stream);
}

}  // namespace wrsgpu
