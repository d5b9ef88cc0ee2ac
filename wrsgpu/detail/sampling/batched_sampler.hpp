// The direct sampler in batches, with prefetched rows.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/sampling/sampler.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// Gives the samples of `DirectSampler`, faster; the library's host sampler. It evaluates random
/// words in vector registers, prefetches the chosen rows one batch ahead, and has no branch that
/// depends on a variate. Reads of tables beyond the cache are then bound by memory throughput, not
/// latency.
class BatchedSampler final : public Sampler {
 public:
  /// Throws `Error` for rounds of Philox other than 7 or 10.
  explicit BatchedSampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

/// Sets out[k] to the item that words[k] chooses (`choose_row`), in the same batches, on the
/// calling thread. The spans have equal sizes.
void draw_from_words(const CompactRows& rows, std::span<const std::uint64_t> words, Index* out);

}  // namespace wrsgpu
