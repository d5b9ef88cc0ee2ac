// Draws of the CPU methods in which a random word stands for a sample.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// out[k] = item_of(word, index) with index = state.offset + k and word number `index` of the
/// Philox4x32-10 stream state.seed, on up to `threads` threads (0: all).
template <class ItemOf>
void sample_words(std::span<Index> out, RandomState state, unsigned threads, ItemOf&& item_of) {
  constexpr std::uint64_t block_samples = 1 << 12;
  const std::uint64_t blocks = (out.size() + block_samples - 1) / block_samples;
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    std::array<std::uint64_t, block_samples> words;
    const std::uint64_t begin = block * block_samples;
    const std::uint64_t count = std::min(block_samples, out.size() - begin);
    philox_words(state.seed, state.offset + begin, std::span(words).first(count));
    for (std::uint64_t k = 0; k < count; ++k) {
      out[begin + k] = item_of(words[k], state.offset + begin + k);
    }
  });
}

}  // namespace wrsgpu
