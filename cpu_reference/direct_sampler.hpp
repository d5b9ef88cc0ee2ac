// Walker's sampler, one sample after another (thesis 2.4 and 3.4.1).
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Sample k: word `offset + k` of the Philox4x32-10 stream `seed` chooses a row and a fraction of
/// its bucket (`choose_row`). The plain loop, to compare others with.
class DirectSampler final : public Sampler {
 public:
  explicit DirectSampler(unsigned threads) : threads_(threads) {}

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
};

}  // namespace wrsgpu
