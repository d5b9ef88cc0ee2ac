// Shared code of the CPU shuffles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "cpu_reference/shuffles.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::shuffle {

/// Throws `Error` unless `in` can be shuffled into `out` (see `CpuShuffleMethod::run`).
void require_keys(Keys in, ShuffledKeys out);

/// Separate streams of random words for the CPU methods.
enum class WordUse : std::uint64_t {
  gather,
  standard,
  digits,
  coins,
  insertions,
  small_pieces,
  sort_words,
  darts
};

/// The seed of a Philox stream of 2^64 words for one use.
[[nodiscard]] inline std::uint64_t stream_of(std::uint64_t seed, WordUse use) {
  return random::philox_word(seed, static_cast<std::uint64_t>(use),
                             random::permutations_subsequence + 16);
}

/// Runs `work` in an arena in which oneTBB's algorithms use up to `threads` threads (0: all
/// hardware threads), even more than the hardware has. ThreadSanitizer cannot see what orders the
/// tasks: that is inside oneTBB, which is not instrumented.
void in_task_arena(unsigned threads, const std::function<void()>& work);

/// Runs `body(block)` for each block in [0, blocks), in parallel within a task arena.
void for_blocks(std::uint64_t blocks, const std::function<void(std::uint64_t block)>& body);

/// Shuffles the keys in place (Fisher and Yates; Knuth's algorithm P), with words `first`, `first`
/// + 1, ... of the stream, one for two keys. Each word gives two numbers, which are uniform up to
/// keys.size()^2 / 2^64.
void shuffle_in_place(ShuffledKeys keys, std::uint64_t stream, std::uint64_t first);

/// Maps a word to a number in [0, size); replaces the word by its remaining randomness.
[[nodiscard]] inline std::uint64_t take_below(std::uint64_t size, std::uint64_t& word) {
  const WideInteger product = static_cast<WideInteger>(word) * size;
  word = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64);
}

/// out[i] = in[place of i] for i in [begin, end). `places_of(first, places)` computes the places of
/// first, first + 1, ... The keys of the next batch are prefetched while one batch is in flight.
template <class PlacesOf>
void gather_range(Keys in, ShuffledKeys out, std::uint64_t begin, std::uint64_t end,
                  const PlacesOf& places_of) {
  constexpr std::uint64_t batch = 128;
  std::uint64_t places[2][batch];
  const auto fetch = [&](std::uint64_t first, std::uint64_t last, std::uint64_t* to) {
    places_of(first, std::span<std::uint64_t>(to, last - first));
    // Into the L2 cache, which allows more outstanding misses than the L1.
    for (std::uint64_t k = 0; k < last - first; ++k) __builtin_prefetch(&in[to[k]], 0, 2);
  };
  const auto after = [&](std::uint64_t first) { return std::min(first + batch, end); };
  fetch(begin, after(begin), places[0]);
  unsigned now = 0;
  for (std::uint64_t first = begin; first < end; first = after(first)) {
    const std::uint64_t next = after(first);
    if (next < end) fetch(next, after(next), places[1 - now]);
    for (std::uint64_t k = 0; k < next - first; ++k) out[first + k] = in[places[now][k]];
    now = 1 - now;
  }
}

}  // namespace wrsgpu::shuffle
