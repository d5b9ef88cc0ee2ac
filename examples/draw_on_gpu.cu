// Sampling on the GPU: weights and samples stay in device memory, and the table is rebuilt in place
// from new weights.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "examples/device_memory.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

constexpr unsigned items = 1'000'000;
constexpr std::size_t samples = 10'000'000;

using example::check;

/// weights[i] = (i + 1)^-exponent
__global__ void make_weights(float* weights, float exponent) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) weights[i] = powf(static_cast<float>(i + 1), -exponent);
}

/// Returns whether the frequency of item 0 among the samples is as expected.
bool matches_expectation(const std::vector<wrsgpu::Index>& drawn, double exponent) {
  const auto zeros = static_cast<double>(std::count(drawn.begin(), drawn.end(), 0U));
  double all_weights = 0;
  for (unsigned i = 0; i < items; ++i) all_weights += std::pow(i + 1.0, -exponent);
  const double expected = samples / all_weights;
  std::printf("item 0 is %.0f of %zu samples, %.0f expected\n", zeros, drawn.size(), expected);
  return std::abs(zeros - expected) < 6 * std::sqrt(expected);
}

bool run() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  const auto weights = example::allocate<float>(items);
  const auto first = example::allocate<wrsgpu::Index>(samples);
  const auto second = example::allocate<wrsgpu::Index>(samples);
  const auto view = wrsgpu::WeightsView::on_device(std::span<const float>(weights.get(), items));

  make_weights<<<(items + 255) / 256, 256>>>(weights.get(), 1);
  check(cudaGetLastError());
  wrsgpu::GpuWeightedSampler sampler(view);
  sampler.draw({first.get(), samples}, {.seed = 7, .offset = 0}, stream);

  // All calls before `finish` are asynchronous and stream-ordered, without allocation.
  make_weights<<<(items + 255) / 256, 256, 0, stream>>>(weights.get(), 0.5F);
  check(cudaGetLastError());
  sampler.rebuild(view, stream);
  sampler.draw({second.get(), samples}, {.seed = 7, .offset = samples}, stream);
  sampler.finish(stream);

  check(cudaStreamDestroy(stream));
  return matches_expectation(example::to_host(first, samples), 1) &&
         matches_expectation(example::to_host(second, samples), 0.5);
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
