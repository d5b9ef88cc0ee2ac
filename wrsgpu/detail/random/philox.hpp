// Philox4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011). Block i of a stream is a function of (key, i): any thread
// can compute any block, so results do not depend on the distribution of the work.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// 128 random bits.
struct PhiloxBlock {
  std::uint32_t word[4];
};

/// Word `k` of a block, without an index, for which device code would keep the block in local
/// memory.
[[nodiscard]] WRSGPU_HD constexpr std::uint32_t select_word(const PhiloxBlock& block,
                                                            std::uint64_t k) {
  const std::uint32_t even = k < 2 ? block.word[0] : block.word[2];
  const std::uint32_t odd = k < 2 ? block.word[1] : block.word[3];
  return k % 2 == 0 ? even : odd;
}

/// The multipliers of words 0 and 2 of a counter.
inline constexpr std::uint32_t philox_multiplier0 = 0xD251'1F53U;
inline constexpr std::uint32_t philox_multiplier1 = 0xCD9E'8D57U;
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t philox_product(std::uint32_t multiplier,
                                                               std::uint32_t word) {
  return std::uint64_t{multiplier} * word;
}
/// One round of Philox4x32 under the key {k0, k1}, given the products of words 0 and 2, and words 1
/// and 3.
[[nodiscard]] WRSGPU_HD constexpr PhiloxBlock philox_round_of(std::uint64_t product0,
                                                              std::uint64_t product1,
                                                              std::uint32_t word1,
                                                              std::uint32_t word3, std::uint32_t k0,
                                                              std::uint32_t k1) {
  return {{static_cast<std::uint32_t>(product1 >> 32) ^ word1 ^ k0,
           static_cast<std::uint32_t>(product1),
           static_cast<std::uint32_t>(product0 >> 32) ^ word3 ^ k1,
           static_cast<std::uint32_t>(product0)}};
}
/// One round, from the counter.
[[nodiscard]] WRSGPU_HD constexpr PhiloxBlock philox_round(PhiloxBlock counter, std::uint32_t k0,
                                                           std::uint32_t k1) {
  return philox_round_of(philox_product(philox_multiplier0, counter.word[0]),
                         philox_product(philox_multiplier1, counter.word[2]), counter.word[1],
                         counter.word[3], k0, k1);
}
/// The key increments per round.
inline constexpr std::uint32_t philox_key_step0 = 0x9E37'79B9U;
inline constexpr std::uint32_t philox_key_step1 = 0xBB67'AE85U;

/// The Philox4x32 bijection of the counter {c0, c1, c2, c3} under the key {k0, k1}. The authors
/// recommend 10 rounds; 7 is the smallest number that they report to pass BigCrush.
template <int rounds = 10>
[[nodiscard]] WRSGPU_HD constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::uint32_t k0,
                                                         std::uint32_t k1) {
  for (int round = 0; round < rounds; ++round) {
    counter = philox_round(counter, k0, k1);
    k0 += philox_key_step0;
    k1 += philox_key_step1;
  }
  return counter;
}

/// Block `index` of subsequence `subsequence` of the stream `seed`: the index is the counter's low
/// half, the subsequence its high half, the seed the key.
template <int rounds = 10>
[[nodiscard]] WRSGPU_HD constexpr PhiloxBlock philox_block(std::uint64_t seed, std::uint64_t index,
                                                           std::uint64_t subsequence = 0) {
  return philox4x32<rounds>(
      {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
        static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)}},
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

/// Subsequences, so that different uses of one seed never share a word. The high halves of the
/// words of samples (random/split_words.hpp) take subsequence 0 and, after rejections, the next
/// ones (fewer than 2^32), their low halves `low_halves_subsequence` and the next ones; random
/// weights, the keys of section trees and of calls, the keys of permutations, the order of
/// samples, the points of resampling (fewer than 2^32), and the keys of count trees and of sharded
/// draws (two) take the others.
inline constexpr std::uint64_t weights_subsequence = std::uint64_t{1} << 63;
inline constexpr std::uint64_t sections_subsequence = std::uint64_t{1} << 62;
inline constexpr std::uint64_t calls_subsequence = std::uint64_t{1} << 61;
inline constexpr std::uint64_t low_halves_subsequence = std::uint64_t{1} << 60;
inline constexpr std::uint64_t permutations_subsequence = std::uint64_t{1} << 59;
inline constexpr std::uint64_t orders_subsequence = std::uint64_t{1} << 58;
inline constexpr std::uint64_t rows_subsequence = std::uint64_t{1} << 57;
inline constexpr std::uint64_t rows_low_halves_subsequence = std::uint64_t{1} << 56;
inline constexpr std::uint64_t points_subsequence = std::uint64_t{1} << 57;
inline constexpr std::uint64_t counts_subsequence = std::uint64_t{1} << 56;
inline constexpr std::uint64_t shards_subsequence = std::uint64_t{1} << 55;

/// 64-bit word `index` of a subsequence of the stream `seed`; block i holds words 2i and 2i + 1.
/// For weights, keys, permutations and shuffles. Samples take `SplitWords`
/// (random/split_words.hpp), whose words differ.
template <int rounds = 10>
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t philox_word(std::uint64_t seed, std::uint64_t index,
                                                            std::uint64_t subsequence = 0) {
  const PhiloxBlock block = philox_block<rounds>(seed, index >> 1, subsequence);
  const int half = static_cast<int>(index & 1) * 2;
  return block.word[half] | (std::uint64_t{block.word[half + 1]} << 32);
}

/// The output of cuRAND's Philox4_32_10 at `offset`: the first curand() after curand_init(seed,
/// subsequence, offset); curand4() gives the words at offset to offset + 3. Block i of a
/// subsequence holds its words 4i to 4i + 3, so `philox_word(seed, i)` consists of cuRAND's words
/// 2i (low half) and 2i + 1 of subsequence 0.
[[nodiscard]] WRSGPU_HD constexpr std::uint32_t curand_philox_word(std::uint64_t seed,
                                                                   std::uint64_t subsequence,
                                                                   std::uint64_t offset) {
  return philox_block<10>(seed, offset >> 2, subsequence).word[offset & 3];
}

}  // namespace wrsgpu::random
