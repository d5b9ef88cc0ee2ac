#include "sampling/expected_gpu_sampler.cuh"

#include "cpu_reference/expected_sampler.hpp"
#include "sampling/gpu_sampler_info.cuh"
#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

/// Copies the samples that the host computed. One thread per sample.
template <class Output>
__global__ void hand_out(const Index* samples, std::uint64_t count, Output output) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) output.put(k, samples[k]);
  output.finish();
}

}  // namespace

ExpectedGpuSampler::ExpectedGpuSampler(const GpuSamplerOptions& options) {
  check_no_sections(options);
  check_seeding(options);
  if (options.generator != GpuGenerator::philox) {
    throw Error("generator " + std::string(to_string(options.generator)) +
                ": this sampler takes no random words");
  }
  if (options.blocks > 0 || options.block_threads > 0) {
    throw Error("arguments 'blocks' and 'block_threads': this sampler draws on the host");
  }
}

void ExpectedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                std::uint64_t samples, RandomState state,
                                cudaStream_t stream) const {
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));  // the table may still be under construction
  HostTable on_host = table_like<HostBuffer>(table);
  copy_table(table, on_host, [](const auto* from, auto* to, Index count) {
    copy_to_host(from, std::span(to, count));
  });
  HostBuffer<Index> expected(samples);
  ExpectedSampler().sample(on_host, expected.span(), state);
  DeviceBuffer<Index> on_device(samples);
  copy_to_device(std::span<const Index>(expected.span()), on_device.data());
  std::visit(
      [&](const auto& out) {
        hand_out<<<blocks_for(samples, 256), 256, 0, stream>>>(on_device.data(), samples, out);
      },
      output);
  check_launch("ExpectedGpuSampler hand_out");
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
}

GpuSamplerInfo expected_gpu_sampler() {
  return {.name = "expected",
          .source = "thesis 4.1",
          .summary = "every item as often as expected; not random",
          .make = make_gpu_sampler<ExpectedGpuSampler>,
          .generators = {GpuGenerator::philox},
          .random = false};
}

}  // namespace wrsgpu
