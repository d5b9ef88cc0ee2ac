// Prioritised replay on the GPU: a CUDA graph draws a batch, learns from it, updates the priorities
// and rebuilds the table, and is launched for each batch.
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "examples/device_memory.cuh"
#include "examples/prioritised_replay.hpp"
#include "wrsgpu/gpu_update_weights.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

using example::check;
using wrsgpu::Index;

struct Batch {
  Index* drawn;
  float* changed;  ///< their new priorities
  replay::Sums* sums;
  unsigned long long* number;
};

/// One block, a thread for each experience drawn.
__global__ void learn(wrsgpu::SamplerViewWithProbabilities sampler, wrsgpu::RandomWords words,
                      const float* priorities, Batch batch) {
  const unsigned long long first_word = *batch.number * replay::batch;
  const auto choice = sampler(words[first_word + threadIdx.x]);
  const double part = replay::contribution(choice.item, choice.probability);
  atomicAdd(&batch.sums->values, part);
  atomicAdd(&batch.sums->squares, part * part);
  batch.drawn[threadIdx.x] = choice.item;
  batch.changed[threadIdx.x] = replay::next_priority(priorities[choice.item]);
  __syncthreads();
  if (threadIdx.x == 0) ++*batch.number;
}

bool run() {
  constexpr std::size_t size = replay::batch;
  const auto priorities = example::to_device(replay::first_priorities());
  const auto drawn = example::allocate<Index>(size);
  const auto changed = example::allocate<float>(size);
  const auto sums = example::to_device(std::vector<replay::Sums>(1));
  const auto number = example::to_device(std::vector<unsigned long long>(1));
  const std::span<float> all(priorities.get(), replay::experiences);
  const auto view = wrsgpu::WeightsView::on_device(all);
  wrsgpu::GpuWeightedSampler sampler(view, {.with_probabilities = true});
  wrsgpu::GpuWeightUpdater updater(replay::experiences);

  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  learn<<<1, size, 0, stream>>>(sampler.view_with_probabilities(), wrsgpu::RandomWords(7),
                                priorities.get(),
                                {drawn.get(), changed.get(), sums.get(), number.get()});
  check(cudaGetLastError());
  updater.update(all, {drawn.get(), size}, {changed.get(), size}, stream);
  sampler.rebuild(view, stream);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (std::uint64_t k = 0; k < replay::batches; ++k) check(cudaGraphLaunch(executable, stream));
  updater.finish(stream);
  sampler.finish(stream);
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return replay::is_unbiased(example::to_host(sums, 1)[0]);
}

}  // namespace

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
