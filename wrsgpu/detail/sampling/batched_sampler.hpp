// The direct sampler in batches, with prefetched rows.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/sampling/sampler.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// The library's host sampler: draws the same samples as `DirectSampler`, faster. It evaluates
/// random words in vector registers, prefetches the selected rows one batch ahead, and has no
/// branch that depends on a variate. Reads of tables beyond the cache are then bound by memory
/// throughput, not by latency.
class BatchedSampler final : public Sampler {
 public:
  /// @throws Error unless `rounds`, the number of Philox rounds, is 7 or 10
  explicit BatchedSampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

/// Sets out[k] to the item that words[k] selects (`choose_row`), in the same batches, on the
/// calling thread. The spans have equal sizes.
void draw_from_words(const CompactRows& rows, std::span<const std::uint64_t> words, Index* out);

}  // namespace wrsgpu
