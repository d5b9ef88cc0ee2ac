// Exponential clocks of the items of a segment (wrsgpu/detail/without_replacement/clock.hpp).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// The words of the items of one row of a draw: word i, split as those of samples are, is output i
/// % 4 of Philox block i / 4 + 2^32 (number % 2^32) of a subsequence that contains number / 2^32.
/// Rows of different numbers share no words, with each other or with anything else.
template <int rounds>
class RowWords {
 public:
  WRSGPU_HD RowWords(std::uint64_t seed, std::uint64_t number)
      : seed_(seed), first_block_(number << 32), number_high_(number >> 32) {}

  /// The words of items 4 * `quad` to 4 * `quad` + 3.
  struct Quad {
    random::PhiloxBlock high;
    random::PhiloxBlock low;

    [[nodiscard]] WRSGPU_HD std::uint64_t word(unsigned of_quad) const {
      return random::SplitWords<rounds>::joined(high.word[of_quad], low.word[of_quad]);
    }
  };
  [[nodiscard]] WRSGPU_HD Quad quad(Index quad) const {
    return {high_halves(quad), low_halves(quad)};
  }
  /// Their halves, for those who do not always need the low ones.
  [[nodiscard]] WRSGPU_HD random::PhiloxBlock high_halves(Index quad) const {
    return block(random::rows_subsequence, quad);
  }
  [[nodiscard]] WRSGPU_HD random::PhiloxBlock low_halves(Index quad) const {
    return block(random::rows_low_halves_subsequence, quad);
  }

 private:
  [[nodiscard]] WRSGPU_HD random::PhiloxBlock block(std::uint64_t subsequence, Index quad) const {
    return random::philox_block<rounds>(seed_, first_block_ + quad, subsequence + number_high_);
  }

  std::uint64_t seed_;
  std::uint64_t first_block_;
  std::uint64_t number_high_;
};

}  // namespace wrsgpu::segments
