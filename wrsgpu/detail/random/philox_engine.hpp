// Philox4x32 as a standard uniform random bit generator.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/seed_words.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::random {

/// Result k after the start is word `offset + k` of the stream `seed` (`philox_word`), 64 bits:
/// half a block, so that one result suffices for one double or one table row. A subsequence has
/// 2^64 words and shares no block with any other, so every node of a tree or thread of a launch can
/// have an independent sequence of any length.
template <int rounds = 10>
class PhiloxEngine {
 public:
  using result_type = std::uint64_t;  // NOLINT(readability-identifier-naming)

  WRSGPU_HD explicit constexpr PhiloxEngine(RandomState state, std::uint64_t subsequence = 0)
      : seed_(state.seed), subsequence_(subsequence) {
    seek(state.offset);
  }
  /// The first two words are the seed, the next two the subsequence; the last is not used.
  WRSGPU_HD explicit constexpr PhiloxEngine(const SeedWords& seed)
      : PhiloxEngine(RandomState{seed.word[0] | (std::uint64_t{seed.word[1]} << 32), 0},
                     seed.word[2] | (std::uint64_t{seed.word[3]} << 32)) {}

  [[nodiscard]] WRSGPU_HD static constexpr result_type min() { return 0; }
  [[nodiscard]] WRSGPU_HD static constexpr result_type max() { return ~result_type{0}; }

  WRSGPU_HD constexpr result_type operator()() {
    const bool upper = (index_ & 1) != 0;
    if (!upper) load();
    ++index_;
    return upper ? block_.word[2] | (std::uint64_t{block_.word[3]} << 32)
                 : block_.word[0] | (std::uint64_t{block_.word[1]} << 32);
  }

  /// Skips `count` results, in constant time.
  WRSGPU_HD constexpr void discard(std::uint64_t count) { seek(index_ + count); }

  /// Whether both give the same results from now on.
  [[nodiscard]] WRSGPU_HD friend constexpr bool operator==(const PhiloxEngine& a,
                                                           const PhiloxEngine& b) {
    return a.seed_ == b.seed_ && a.subsequence_ == b.subsequence_ && a.index_ == b.index_;
  }

 private:
  WRSGPU_HD constexpr void seek(std::uint64_t index) {
    index_ = index;
    if ((index_ & 1) != 0) load();
  }
  WRSGPU_HD constexpr void load() {
    block_ = philox_block<rounds>(seed_, index_ >> 1, subsequence_);
  }

  std::uint64_t seed_;
  std::uint64_t subsequence_;
  std::uint64_t index_ = 0;  // of the next word
  PhiloxBlock block_{};      // the block of the next word, if that is its second one
};

}  // namespace wrsgpu::random
