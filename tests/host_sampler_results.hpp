// What a sampler of the library gives on the host.
#pragma once

#include <cstddef>
#include <vector>

#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {

inline std::vector<Index> drawn(const WeightedSampler& sampler, std::size_t samples,
                                RandomState state = {7, 3}) {
  std::vector<Index> out(samples);
  sampler.draw(out, state);
  return out;
}

/// Of all items.
inline std::vector<float> probabilities_of(const WeightedSampler& sampler) {
  const SamplerViewWithProbabilities view = sampler.view_with_probabilities();
  std::vector<float> all(view.size());
  for (Index i = 0; i < view.size(); ++i) all[i] = view.probability(i);
  return all;
}

}  // namespace wrsgpu
