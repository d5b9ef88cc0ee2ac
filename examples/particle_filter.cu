// A bootstrap particle filter on the GPU, compared with Kalman's filter. The host enqueues all
// steps and waits once.
#include <cstdio>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "examples/device_memory.cuh"
#include "examples/particle_filter.hpp"
#include "wrsgpu/gpu_resample.cuh"

namespace {

constexpr unsigned particles = 1'000'000;
constexpr unsigned threads = 256;
constexpr unsigned blocks = (particles + threads - 1) / threads;

using example::check;
using wrsgpu::Index;

__global__ void begin(wrsgpu::RandomWords words, double* states) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < particles) states[i] = particle_filter::first_state(words[i]);
}

__device__ void add(particle_filter::Sums* to, const particle_filter::Sums& more) {
  atomicAdd(&to->weights, more.weights);
  atomicAdd(&to->states, more.states);
  atomicAdd(&to->squared_weights, more.squared_weights);
  atomicAdd(&to->states_squared_weights, more.states_squared_weights);
  atomicAdd(&to->squares_squared_weights, more.squares_squared_weights);
}

__global__ void weigh(const double* states, double observation, float* weights,
                      particle_filter::Sums* sums) {
  __shared__ particle_filter::Sums of_block;
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();
  if (i < particles) {
    weights[i] = particle_filter::likelihood(states[i], observation);
    particle_filter::Sums own{};
    own.add(weights[i], states[i]);
    add(&of_block, own);
  }
  __syncthreads();
  if (threadIdx.x == 0) add(sums, of_block);
}

__global__ void move(const double* states, const Index* ancestors, wrsgpu::RandomWords words,
                     unsigned long long first_word, double* moved) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < particles) {
    moved[i] = particle_filter::next_state(states[ancestors[i]], words[first_word + i]);
  }
}

bool run() {
  namespace filter = particle_filter;
  const std::vector<double> observed = filter::observations();
  const wrsgpu::RandomWords words(2);
  auto states = example::allocate<double>(particles);
  auto moved = example::allocate<double>(particles);
  const auto weights = example::allocate<float>(particles);
  const auto ancestors = example::allocate<Index>(particles);
  const auto sums = example::to_device(std::vector<filter::Sums>(filter::steps));
  const auto view =
      wrsgpu::WeightsView::on_device(std::span<const float>(weights.get(), particles));
  wrsgpu::GpuResampler resampler(particles, particles);
  begin<<<blocks, threads>>>(words, states.get());
  check(cudaGetLastError());
  for (unsigned step = 0; step < filter::steps; ++step) {
    weigh<<<blocks, threads>>>(states.get(), observed[step], weights.get(), sums.get() + step);
    check(cudaGetLastError());
    // Systematic resampling uses one word, that at the offset, for all particles.
    resampler.resample(view, {ancestors.get(), particles}, wrsgpu::ResamplingScheme::systematic,
                       wrsgpu::RandomState{.seed = 3, .offset = step});
    move<<<blocks, threads>>>(states.get(), ancestors.get(), words, (step + 1ULL) * particles,
                              moved.get());
    check(cudaGetLastError());
    std::swap(states, moved);
  }
  resampler.finish();
  return filter::matches_kalman(example::to_host(sums, filter::steps));
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
