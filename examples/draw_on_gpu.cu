// Sampling on the GPU: weights and samples stay in device memory, and the table is rebuilt in place
// from new weights.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

constexpr unsigned items = 1'000'000;
constexpr std::size_t samples = 10'000'000;

/// weights[i] = (i + 1)^-exponent
__global__ void make_weights(float* weights, float exponent) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) weights[i] = powf(static_cast<float>(i + 1), -exponent);
}

/// Returns whether the frequency of item 0 among the samples is as expected.
bool matches_expectation(const wrsgpu::DeviceBuffer<wrsgpu::Index>& drawn, double exponent) {
  std::vector<wrsgpu::Index> host(drawn.size());
  wrsgpu::copy_to_host(drawn.data(), std::span(host));
  double zeros = 0;
  for (const wrsgpu::Index item : host) zeros += item == 0 ? 1 : 0;
  double all_weights = 0;
  for (unsigned i = 0; i < items; ++i) all_weights += std::pow(i + 1.0, -exponent);
  const double expected = samples / all_weights;
  std::printf("item 0 is %.0f of %zu samples, %.0f expected\n", zeros, drawn.size(), expected);
  return std::abs(zeros - expected) < 6 * std::sqrt(expected);
}

bool run() {
  wrsgpu::require_cuda_device();
  cudaStream_t stream = nullptr;
  wrsgpu::DeviceBuffer<float> weights(items);
  wrsgpu::DeviceBuffer<wrsgpu::Index> first(samples);
  wrsgpu::DeviceBuffer<wrsgpu::Index> second(samples);
  WRSGPU_CUDA_CHECK(cudaStreamCreate(&stream));

  make_weights<<<(items + 255) / 256, 256>>>(weights.data(), 1);
  wrsgpu::check_launch("make_weights");
  wrsgpu::GpuWeightedSampler sampler(wrsgpu::WeightsView::on_device(weights.span()));
  sampler.draw(first.span(), {.seed = 7, .offset = 0}, stream);

  // All calls before `finish` are asynchronous and stream-ordered, without allocation.
  make_weights<<<(items + 255) / 256, 256, 0, stream>>>(weights.data(), 0.5F);
  wrsgpu::check_launch("make_weights");
  sampler.rebuild(wrsgpu::WeightsView::on_device(weights.span()), stream);
  sampler.draw(second.span(), {.seed = 7, .offset = samples}, stream);
  sampler.finish(stream);

  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
  return matches_expectation(first, 1) && matches_expectation(second, 0.5);
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
