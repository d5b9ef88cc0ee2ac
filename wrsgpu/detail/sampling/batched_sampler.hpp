// The direct sampler in batches, with prefetched rows.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/sampling/sampler.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// The samples of `DirectSampler`, faster, and what the library draws with: random words are
/// evaluated in vector registers, the rows that they choose are asked for a batch ahead, and no
/// branch depends on a variate. A table that does not fit the cache is then read as fast as memory
/// answers, not one row after another.
class BatchedSampler final : public Sampler {
 public:
  /// Throws `Error` for rounds of Philox other than 7 or 10.
  explicit BatchedSampler(unsigned threads, int rounds = 10);

 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
  unsigned threads_;
  int rounds_;
};

/// out[k] = what words[k] chooses (`choose_row`), in the same batches. One thread. There are as
/// many words as samples.
void draw_from_words(const CompactRows& rows, std::span<const std::uint64_t> words, Index* out);

}  // namespace wrsgpu
