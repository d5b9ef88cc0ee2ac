// Random words alone, without a table (thesis 4.7.1): an upper bound for every sampler. Names:
// generate/<generator>[_<seeding>]/<words>; a word has 64 bits, as many as a sample takes.
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "sampling/generators/mtgp32_states.cuh"
#include "sampling/gpu_words.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/sampling/gpu_output.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr unsigned threads = 256;
constexpr RandomState state{2020, 0};

template <class Words>
__global__ void __launch_bounds__(threads)
    generate(Words words, std::uint64_t count, DiscardSamples output) {
  words.start().draw(
      0, count, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
      std::uint64_t{gridDim.x} * blockDim.x,
      [](std::uint64_t word) { return static_cast<Index>(word ^ word >> 32); }, output);
  output.finish();
}

template <class Words>
void measure(benchmark::State& run, const Words& words, unsigned blocks, std::uint64_t count) {
  DeviceBuffer<Index> any_odd(1);
  time_on_device(run, [&] {
    generate<<<blocks, threads>>>(words, count, DiscardSamples{any_odd.data()});
    check_launch("generate");
  });
  run.SetItemsProcessed(static_cast<std::int64_t>(count) * run.iterations());
}

template <class Words>
Series series(const std::string& name, const Words& words) {
  return {name, std::string(to_string(Words::generator)), [=](const Axes& axes) {
            for (const std::uint64_t count : axes.samples) {
              add_benchmark(join_name({"generate", name, std::to_string(count)}),
                            [=](benchmark::State& run) {
                              measure(run, words, blocks_that_fill(threads), count);
                            });
            }
          }};
}

Series mtgp32_series() {
  return {"mtgp32", "mtgp32", [](const Axes& axes) {
            for (const std::uint64_t count : axes.samples) {
              add_benchmark(join_name({"generate", "mtgp32", std::to_string(count)}),
                            [=](benchmark::State& run) {
                              constexpr unsigned blocks = random::Mtgp32States::max_blocks;
                              random::Mtgp32States states(blocks, state);
                              measure(run, MtgpWords{states.data()}, blocks, count);
                            });
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "generators",
                  .summary = "random words without a table",
                  .needs_gpu = true,
                  .defaults = {.samples = {1'000'000'000, 10'000'000'000}}};
  what.series.push_back(series("philox", PhiloxWords{state}));
  for (const Seeding seeding : {Seeding::subsequence, Seeding::pkpt_md5, Seeding::pkpt_sha1}) {
    const std::string suffix = "_" + std::string(to_string(seeding));
    what.series.push_back(series("xorwow" + suffix, ThreadWords<XorwowStream>{state, seeding}));
    what.series.push_back(series("mrg32k3a" + suffix, ThreadWords<Mrg32k3aStream>{state, seeding}));
  }
  what.series.push_back(mtgp32_series());
  return what;
}

}  // namespace wrsgpu::experiments
