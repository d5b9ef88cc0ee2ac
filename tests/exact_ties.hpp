// Samplers on the host decide between item and alias by all bits of a variate. Of random thresholds
// none is exactly the variate of a sample.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "planted_bias.hpp"
#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Sets the threshold of each sample's row to its variate, and to one more. `word_of(k)` is the
/// word of the sample at offset k.
template <class WordOf>
void expect_exact_ties(const Sampler& sampler, RandomState state, std::size_t samples,
                       const WordOf& word_of) {
  constexpr Index items = 1000;
  HostTable table = verification::built_table(std::vector<double>(items, 1.0),
                                              {Arithmetic::fixed_point, Layout::compact_rows});
  const CompactRows rows = table.compact_rows();
  std::vector<Index> drawn(samples);
  for (std::size_t k = 0; k < samples; ++k) {
    const RowChoice choice = choose_row(word_of(state.offset + k), items);
    const auto variate = std::uint64_t{CompactRows::variate(choice.fraction)};
    const Index alias = (choice.row + 1) % items;
    for (const std::uint64_t more : {0U, 1U}) {
      rows.store(choice.row, variate + more, alias);
      sampler.sample(table, drawn, state);
      ASSERT_EQ(drawn[k], more == 1 ? choice.row : alias) << k;
    }
  }
}

}  // namespace wrsgpu
