#include "sampling/baseline_gpu_sampler.cuh"

#include "sampling/baseline_kernel.cuh"
#include "sampling/generators/mtgp32_states.cuh"
#include "sampling/gpu_sampler_info.cuh"
#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"

namespace wrsgpu {
namespace {

/// Number of blocks: the caller's choice, or enough to fill the device.
[[nodiscard]] unsigned grid_blocks(const GpuSamplerOptions& options, unsigned threads,
                                   std::uint64_t samples) {
  if (options.blocks > 0) return options.blocks;
  constexpr unsigned rounds = 8;
  const unsigned fill = blocks_that_fill(threads);
  // Several waves of blocks with Philox; generators that need initialisation draw many samples
  // each.
  const unsigned maximum = options.generator == GpuGenerator::philox ? fill * rounds : fill;
  return capped_blocks_for(samples, std::uint64_t{threads} * 8, maximum);
}

}  // namespace

BaselineGpuSampler::BaselineGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  check_options(options);
  check_no_sections(options);
  if (options.generator == GpuGenerator::mtgp32) {
    random::Mtgp32States::check_shape(options.blocks, options.block_threads);
  }
}

void BaselineGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                std::uint64_t samples, RandomState state,
                                cudaStream_t stream) const {
  if (options_.generator == GpuGenerator::mtgp32) {
    launch_mtgp32(table, output, samples, state, stream);
    return;
  }
  const unsigned threads = options_.block_threads > 0 ? options_.block_threads : 256;
  const unsigned blocks = grid_blocks(options_, threads, samples);
  with_words(options_, state, [&](const auto& words) {
    with_rows_and_output(table, output, [&](const auto& rows, const auto& out) {
      draw_from_table<<<blocks, threads, 0, stream>>>(rows, words, samples, out);
      check_launch("BaselineGpuSampler draw_from_table");
    });
  });
}

void BaselineGpuSampler::launch_mtgp32(const DeviceTable& table, const AnyOutput& output,
                                       std::uint64_t samples, RandomState state,
                                       cudaStream_t stream) const {
  const unsigned threads = options_.block_threads > 0 ? options_.block_threads : 256;
  const unsigned blocks = options_.blocks > 0 ? options_.blocks : random::Mtgp32States::max_blocks;
  random::Mtgp32States states(blocks, state);
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));  // cuRAND has copied them on that stream
  with_rows_and_output(table, output, [&](const auto& rows, const auto& out) {
    draw_from_table<<<blocks, threads, 0, stream>>>(rows, MtgpWords{states.data()}, samples, out);
    check_launch("BaselineGpuSampler draw_from_table");
  });
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));  // the states are freed on return
}

GpuSamplerInfo baseline_gpu_sampler() {
  return {.name = "baseline",
          .source = "thesis 3.4.1",
          .summary = "Walker's sampler over the whole table; the samples of direct, any layout",
          .make = make_gpu_sampler<BaselineGpuSampler>,
          .generators = generators_of_whole_tables()};
}

}  // namespace wrsgpu
