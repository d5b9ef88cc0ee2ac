// Walker's sampler, one sample after another (thesis 2.4 and 3.4.1).
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Sample k: word `offset + k` of `random::SplitWords` chooses a row and a fraction of its bucket
/// (`choose_row`), with Philox of `rounds` rounds, 7 or 10. The GPU samplers `direct`,
/// `direct_packed`, `direct_short`, `small_table` and, with 10 rounds, `baseline` draw the same
/// samples in the same order. The plain loop, to read and to compare others with; for any layout.
class DirectSampler final : public Sampler {
 public:
  /// Throws `Error` for other rounds.
  explicit DirectSampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

}  // namespace wrsgpu
