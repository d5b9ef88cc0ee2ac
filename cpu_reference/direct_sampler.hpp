// Alias sampling, one sample after another (thesis 2.4 and 3.4.1).
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Word `offset + k` of `random::SplitWords`, with Philox of 7 or 10 rounds, selects the row of
/// sample k and a fraction of its bucket (`choose_row`). The GPU samplers `direct`,
/// `direct_packed`, `direct_short`, `small_table` and, with 10 rounds, `baseline` draw the same
/// samples in the same order. A plain loop, as a reference; supports any layout.
class DirectSampler final : public Sampler {
 public:
  /// Throws `Error` unless `rounds` is 7 or 10.
  explicit DirectSampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

}  // namespace wrsgpu
