// Prioritised replay on the CPU.
#include <cstdio>
#include <exception>
#include <vector>

#include "examples/prioritised_replay.hpp"
#include "wrsgpu/update_weights.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace {

bool run() {
  std::vector<float> priorities = replay::first_priorities();
  wrsgpu::WeightedSampler sampler(priorities, {.with_probabilities = true});
  const wrsgpu::RandomWords words(7);
  replay::Sums sums{0, 0};
  for (std::uint64_t number = 0; number < replay::batches; ++number) {
    const auto view = sampler.view_with_probabilities();
    std::vector<wrsgpu::Index> drawn;
    std::vector<float> changed;
    for (std::uint64_t k = 0; k < replay::batch; ++k) {
      const auto choice = view(words[number * replay::batch + k]);
      const double part = replay::contribution(choice.item, choice.probability);
      sums.values += part;
      sums.squares += part * part;
      drawn.push_back(choice.item);
      changed.push_back(replay::next_priority(priorities[choice.item]));
    }
    wrsgpu::update_weights(priorities, drawn, changed);
    sampler.rebuild(priorities);
  }
  return replay::is_unbiased(sums);
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
