// Sampling loops of the CPU methods that take one random word per sample.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

inline constexpr std::size_t sample_block = 1 << 12;

/// Calls `draw(items, first)` for pieces of `out` of up to `sample_block` samples, the first of
/// which takes word `first`, on up to `threads` threads (0: all).
template <class Draw>
void for_sample_blocks(std::span<Index> out, std::uint64_t offset, unsigned threads,
                       const Draw& draw) {
  const std::uint64_t blocks = (out.size() + sample_block - 1) / sample_block;
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    const std::uint64_t begin = block * sample_block;
    draw(out.subspan(begin, std::min(sample_block, out.size() - begin)), offset + begin);
  });
}

/// out[k] = item_of(word) with word number state.offset + k of `random::SplitWords` of state.seed.
template <class ItemOf>
void sample_words(std::span<Index> out, RandomState state, unsigned threads,
                  const ItemOf& item_of) {
  for_sample_blocks(out, state.offset, threads, [&](std::span<Index> items, std::uint64_t first) {
    std::array<std::uint64_t, sample_block> words;
    split_words(state.seed, first, std::span(words).first(items.size()));
    for (std::size_t k = 0; k < items.size(); ++k) items[k] = item_of(words[k]);
  });
}

/// `sample_words` by rejection: `accepts(word, item)` writes an item and returns whether the word
/// is accepted; if not, the sample takes the word of its next attempt.
template <class Accepts>
void sample_accepted_words(std::span<Index> out, RandomState state, unsigned threads,
                           const Accepts& accepts) {
  const random::SplitWords<> one_by_one(state.seed);
  for_sample_blocks(out, state.offset, threads, [&](std::span<Index> items, std::uint64_t first) {
    std::array<std::uint64_t, sample_block> words;
    std::array<std::uint16_t, sample_block> waiting;
    std::iota(waiting.begin(), waiting.end(), std::uint16_t{0});
    std::size_t left = items.size();
    for (std::uint32_t attempt = 0; left > 0; ++attempt) {
      // Vector registers evaluate all words of the block in the time of a fraction of them one by
      // one.
      const bool are_many = left > items.size() / 16;
      if (are_many) split_words(state.seed, first, std::span(words).first(items.size()), attempt);
      std::size_t rejected = 0;
      for (std::size_t j = 0; j < left; ++j) {
        const std::uint16_t k = waiting[j];
        const std::uint64_t word = are_many ? words[k] : one_by_one.word(first + k, attempt);
        waiting[rejected] = k;
        rejected += accepts(word, items[k]) ? 0U : 1U;
      }
      left = rejected;
    }
  });
}

}  // namespace wrsgpu
