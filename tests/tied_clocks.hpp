// Weights with which items ring at the same time.
#pragma once

#include <algorithm>
#include <vector>

#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu {

/// Gives item `one` weight 1, and every `stride`-th item one with which it rings exactly then, if a
/// rounded quotient is such a weight. Returns these items in order.
inline std::vector<Index> tie_clocks(std::vector<double>& weights, RandomState state, Index one,
                                     Index stride) {
  const random::SplitWords<> words(state.seed);
  const auto word_of = [&](Index item) { return words.word(state.offset + item); };
  const double deviate = detail::exponential(word_of(one));
  std::vector<Index> tied;
  for (Index i = 0; i < weights.size(); i += stride) {
    const double weight = detail::exponential(word_of(i)) / deviate;
    if (detail::clock_key(word_of(i), weight) != detail::clock_key(word_of(one), 1)) continue;
    weights[i] = weight;
    tied.push_back(i);
  }
  if (one % stride != 0) {
    weights[one] = 1;
    tied.insert(std::lower_bound(tied.begin(), tied.end(), one), one);
  }
  return tied;
}

}  // namespace wrsgpu
