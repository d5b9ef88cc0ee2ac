// Sampling inside a kernel: the integral of f over [0, cells) by importance sampling, as a renderer
// integrates light. A cell is drawn with probability approximately proportional to its contribution
// to the integral, the remapped variate gives the position in the cell, and the value is divided by
// the probability.
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

constexpr unsigned cells = 1000;
constexpr unsigned long long samples = 10'000'000;

__host__ __device__ double f(double x) { return x * x; }

/// Sums of the estimates and of their squares.
struct Sums {
  double values;
  double squares;
};

__global__ void integrate(wrsgpu::SamplerViewWithProbabilities cell,
                          wrsgpu::random::SplitWords<> words, Sums* sums) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  Sums own{0, 0};
  for (unsigned long long k =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       k < samples; k += threads) {
    const auto [item, probability, remapped] = cell(wrsgpu::RandomWord(words.word(k)));
    const double estimate = f(item + static_cast<double>(remapped)) / probability;
    own.values += estimate;
    own.squares += estimate * estimate;
  }
  atomicAdd(&sums->values, own.values);
  atomicAdd(&sums->squares, own.squares);
}

bool run() {
  std::vector<float> weights(cells);
  for (unsigned i = 0; i < cells; ++i) weights[i] = static_cast<float>(f(i + 0.5));
  const wrsgpu::GpuWeightedSampler sampler(weights, {.with_probabilities = true});

  wrsgpu::DeviceBuffer<Sums> on_device(1);
  WRSGPU_CUDA_CHECK(cudaMemset(on_device.data(), 0, on_device.bytes()));
  integrate<<<1000, 256>>>(sampler.view_with_probabilities(), wrsgpu::random::SplitWords<>(7),
                           on_device.data());
  wrsgpu::check_launch("integrate");
  Sums sums{};
  wrsgpu::copy_to_host(std::as_const(on_device).data(), std::span(&sums, 1));

  const double mean = sums.values / samples;
  const double error = std::sqrt((sums.squares / samples - mean * mean) / samples);
  const double exact = std::pow(static_cast<double>(cells), 3) / 3;
  std::printf("%.1f, standard error %.1f; exact: %.1f\n", mean, error, exact);
  return std::abs(mean - exact) < 6 * error && error < 1e-4 * exact;
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
