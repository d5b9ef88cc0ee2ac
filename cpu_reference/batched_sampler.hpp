// The direct sampler in batches, with prefetched rows.
#pragma once

#include "wrsgpu/sampling/sampler.hpp"

namespace wrsgpu {

/// Sample k: word `offset + k` of the Philox4x32-10 stream `seed` chooses a row and a fraction of
/// its bucket, exactly as in `DirectSampler`.
class BatchedSampler final : public Sampler {
 public:
  explicit BatchedSampler(unsigned threads) : threads_(threads) {}
  void sample(const HostTable& table, std::span<Index> out, RandomState state) const override;

 private:
  unsigned threads_;
};

}  // namespace wrsgpu
