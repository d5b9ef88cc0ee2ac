// Sampling inside a kernel: the integral of f over [0, cells) by importance sampling, as a renderer
// integrates light. A cell is drawn with probability approximately proportional to its contribution
// to the integral, the remapped variate gives the position in the cell, and the value is divided by
// the probability.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

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

__device__ Sums sums;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

__global__ void integrate(wrsgpu::SamplerViewWithProbabilities cell, unsigned long long seed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t generator;
  curand_init(seed, thread, 0, &generator);
  Sums own{0, 0};
  for (unsigned long long k = thread; k < samples; k += gridDim.x * blockDim.x) {
    const unsigned high = curand(&generator);
    const unsigned low = curand(&generator);
    const auto [item, probability, remapped] = cell(wrsgpu::RandomWord(high, low));
    const double estimate = f(item + static_cast<double>(remapped)) / probability;
    own.values += estimate;
    own.squares += estimate * estimate;
  }
  atomicAdd(&sums.values, own.values);
  atomicAdd(&sums.squares, own.squares);
}

bool run() {
  std::vector<float> weights(cells);
  for (unsigned i = 0; i < cells; ++i) weights[i] = static_cast<float>(f(i + 0.5));
  const wrsgpu::GpuWeightedSampler sampler(weights, {.with_probabilities = true});

  integrate<<<1000, 256>>>(sampler.view_with_probabilities(), 7);
  check(cudaGetLastError());
  Sums all{};
  check(cudaMemcpyFromSymbol(&all, sums, sizeof(all)));

  const double mean = all.values / samples;
  const double error = std::sqrt((all.squares / samples - mean * mean) / samples);
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
