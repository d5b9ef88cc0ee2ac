// Sampling on the GPU: weights and samples stay in device memory, and the table is rebuilt in place
// from new weights.
#include <thrust/count.h>
#include <thrust/device_vector.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>

#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

constexpr unsigned items = 1'000'000;
constexpr std::size_t samples = 10'000'000;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// weights[i] = (i + 1)^-exponent
__global__ void make_weights(float* weights, float exponent) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) weights[i] = powf(static_cast<float>(i + 1), -exponent);
}

template <class T>
std::span<T> span_of(thrust::device_vector<T>& vector) {
  return {thrust::raw_pointer_cast(vector.data()), vector.size()};
}

/// Returns whether the frequency of item 0 among the samples is as expected.
bool matches_expectation(const thrust::device_vector<wrsgpu::Index>& drawn, double exponent) {
  const auto zeros =
      static_cast<double>(thrust::count(drawn.begin(), drawn.end(), wrsgpu::Index{0}));
  double all_weights = 0;
  for (unsigned i = 0; i < items; ++i) all_weights += std::pow(i + 1.0, -exponent);
  const double expected = samples / all_weights;
  std::printf("item 0 is %.0f of %zu samples, %.0f expected\n", zeros, drawn.size(), expected);
  return std::abs(zeros - expected) < 6 * std::sqrt(expected);
}

bool run() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  thrust::device_vector<float> weights(items);
  thrust::device_vector<wrsgpu::Index> first(samples);
  thrust::device_vector<wrsgpu::Index> second(samples);

  make_weights<<<(items + 255) / 256, 256>>>(span_of(weights).data(), 1);
  check(cudaGetLastError());
  wrsgpu::GpuWeightedSampler sampler(wrsgpu::WeightsView::on_device(span_of(weights)));
  sampler.draw(span_of(first), {.seed = 7, .offset = 0}, stream);

  // All calls before `finish` are asynchronous and stream-ordered, without allocation.
  make_weights<<<(items + 255) / 256, 256, 0, stream>>>(span_of(weights).data(), 0.5F);
  check(cudaGetLastError());
  sampler.rebuild(wrsgpu::WeightsView::on_device(span_of(weights)), stream);
  sampler.draw(span_of(second), {.seed = 7, .offset = samples}, stream);
  sampler.finish(stream);

  check(cudaStreamDestroy(stream));
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
