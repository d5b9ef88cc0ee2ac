// Sequential drawing on the host from split words, with 7 or 10 rounds of Philox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Throws `Error` unless `rounds` is 7 or 10.
inline void require_philox_rounds(int rounds) {
  if (rounds == 7 || rounds == 10) return;
  throw Error("argument 'rounds' is " + std::to_string(rounds) + "; it must be 7 or 10");
}

/// Calls `use(words)` with the words of `seed`, of 7 rounds, otherwise of 10.
template <class Use>
void with_split_words(int rounds, std::uint64_t seed, const Use& use) {
  if (rounds == 7) {
    use(random::SplitWords<7>(seed));
  } else {
    use(random::SplitWords<10>(seed));
  }
}

/// Sets out[k] to the item that word first + k selects.
template <int rounds, class Rows>
void draw_word_by_word(const random::SplitWords<rounds>& words, const Rows& rows,
                       std::uint64_t first, std::span<Index> out) {
  random::PhiloxBlock high{};
  random::PhiloxBlock low{};
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::uint64_t index = first + k;
    if (k == 0 || index % 4 == 0) {
      high = words.high_halves(index / 4);
      low = words.low_halves(index / 4);
    }
    const std::uint64_t word = words.joined(high.word[index % 4], low.word[index % 4]);
    const RowChoice choice = choose_row(word, rows.size());
    out[k] = rows.pick(choice.row, choice.fraction);
  }
}

}  // namespace wrsgpu
