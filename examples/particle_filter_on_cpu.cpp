// A bootstrap particle filter on the CPU, compared with Kalman's filter.
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "examples/particle_filter.hpp"
#include "wrsgpu/resample.hpp"

namespace {

constexpr std::size_t particles = 100'000;

bool run() {
  namespace filter = particle_filter;
  const std::vector<double> observed = filter::observations();
  const wrsgpu::RandomWords words(2);
  std::vector<double> states(particles);
  std::vector<double> moved(particles);
  std::vector<float> weights(particles);
  std::vector<wrsgpu::Index> ancestors(particles);
  std::vector<filter::Sums> sums(filter::steps);
  for (std::size_t i = 0; i < particles; ++i) states[i] = filter::first_state(words[i]);
  for (std::size_t step = 0; step < filter::steps; ++step) {
    for (std::size_t i = 0; i < particles; ++i) {
      weights[i] = filter::likelihood(states[i], observed[step]);
      sums[step].add(static_cast<double>(weights[i]), states[i]);
    }
    // Systematic resampling uses one word, that at the offset, for all particles.
    wrsgpu::resample(weights, ancestors, wrsgpu::ResamplingScheme::systematic,
                     {.seed = 3, .offset = step});
    for (std::size_t i = 0; i < particles; ++i) {
      moved[i] = filter::next_state(states[ancestors[i]], words[(step + 1) * particles + i]);
    }
    std::swap(states, moved);
  }
  return filter::matches_kalman(sums);
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
