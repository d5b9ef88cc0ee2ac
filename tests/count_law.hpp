// Laws of vectors of counts.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "verification/goodness_of_fit.hpp"

namespace wrsgpu {

/// The probabilities of all possible vectors of counts.
using CountLaw = std::map<verification::Counts, double>;

/// The law of `draws` independent draws.
inline CountLaw multinomial_law(const std::vector<double>& probabilities, int draws) {
  CountLaw law{{verification::Counts(probabilities.size(), 0), 1.0}};
  for (int draw = 0; draw < draws; ++draw) {
    CountLaw next;
    for (const auto& [counts, probability] : law) {
      for (std::size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] == 0) continue;
        verification::Counts more = counts;
        ++more[i];
        next[more] += probability * probabilities[i];
      }
    }
    law = std::move(next);
  }
  return law;
}

/// The p-value of Pearson's test of the vectors that `draw(seed)` gives for `seeds` seeds; 0 if one
/// of them is impossible.
template <class Draw>
double count_law_p(const CountLaw& law, std::uint64_t seeds, const Draw& draw) {
  std::map<verification::Counts, std::uint64_t> found;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) ++found[draw(seed)];
  verification::Counts counts;
  std::vector<double> probabilities;
  for (const auto& [vector, probability] : law) {
    counts.push_back(found[vector]);
    probabilities.push_back(probability);
  }
  if (found.size() > law.size()) return 0;
  return verification::chi_squared(counts, probabilities, 25).p_value;
}

}  // namespace wrsgpu
