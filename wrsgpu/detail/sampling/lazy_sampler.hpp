// The samples of the GPU's samplers with lazy words.
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Sample k: word `offset + k` of `random::LazyWords` chooses a row and a fraction of its bucket
/// (`choose_row`), with Philox of `rounds` rounds, 7 or 10. These are the samples of the GPU
/// samplers `direct`, `direct_packed`, `direct_short` and `small_table`, in the same order; for any
/// layout.
class LazySampler final : public Sampler {
 public:
  /// Throws `Error` for other rounds.
  explicit LazySampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

}  // namespace wrsgpu
