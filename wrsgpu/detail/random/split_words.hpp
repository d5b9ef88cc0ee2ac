// The words from which samples are drawn: split 64-bit words, low half on demand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::random {

/// The numbered 64-bit words of the stream `seed`. Every Philox sampler, on the CPU and on the GPU,
/// draws sample k of a call from word `offset` + k, whichever thread draws it.
///
/// A word is split over two Philox blocks: the high halves of words 4q to 4q + 3 are block q of
/// subsequence 0, their low halves block q of `low_halves_subsequence`. A quad of words thus costs
/// as much as two blocks of two whole words each, and only one block if the high halves suffice.
/// The words wrap around at 2^64. The number of rounds is 10 or 7; the words differ. The round keys
/// are computed once; a kernel gets them with its arguments.
template <int rounds = 10>
class SplitWords {
 public:
  WRSGPU_HD explicit constexpr SplitWords(std::uint64_t seed) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      k0_[round] = static_cast<std::uint32_t>(seed) + round * philox_key_step0;
      k1_[round] = static_cast<std::uint32_t>(seed >> 32) + round * philox_key_step1;
    }
  }

  /// The words of quad `quad`, which is below 2^62. `attempt`: see `word`.
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock high_halves(std::uint64_t quad,
                                                            std::uint32_t attempt = 0) const {
    return block(quad, attempt);
  }
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock low_halves(std::uint64_t quad,
                                                           std::uint32_t attempt = 0) const {
    return block(quad, low_halves_subsequence + attempt);
  }
  /// The words of quads whose numbers have the same high half; shares the part of the rounds that
  /// depends only on that half. Refers to the `SplitWords`.
  class Quads {
    static_assert(rounds >= 3);

   public:
    WRSGPU_HD constexpr Quads(const SplitWords& words, std::uint32_t number_high)
        : words_(words), high_(number_high) {
      // The second round's product of word 0, which is the number's high half under a key.
      const std::uint64_t product = philox_product(philox_multiplier0, number_high ^ words.k0_[0]);
      third_ = static_cast<std::uint32_t>(product >> 32) ^ words.k1_[1];
      fourth_ = static_cast<std::uint32_t>(product) ^ words.k1_[2];
    }
    /// As `SplitWords::kept`.
    template <class Keep>
    [[nodiscard]] WRSGPU_HD constexpr Quads kept(const Keep& keep) const {
      Quads quads = *this;
      quads.third_ = keep(third_);
      quads.fourth_ = keep(fourth_);
      return quads;
    }

    [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock high_halves(std::uint32_t number_low) const {
      const auto& k0 = words_.k0_;
      const PhiloxBlock one = philox_round({{number_low, high_, 0, 0}}, k0[0], words_.k1_[0]);
      const std::uint64_t product = philox_product(philox_multiplier1, one.word[2]);
      const std::uint32_t first = static_cast<std::uint32_t>(product >> 32) ^ k0[1];
      const auto second = static_cast<std::uint32_t>(product);
      const PhiloxBlock three = philox_round_of(
          philox_product(philox_multiplier0, first),
          philox_product(philox_multiplier1, one.word[3] ^ third_), second, fourth_, k0[2], 0);
      return words_.template rounds_from<3>(three);
    }
    [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock low_halves(std::uint32_t number_low) const {
      return words_.low_halves(joined(high_, number_low));
    }

   private:
    const SplitWords& words_;
    std::uint32_t high_;
    // Words 2 and 3 after the second round, except for word 3 of the first one, and the third
    // round's key for that.
    std::uint32_t third_;
    std::uint32_t fourth_;
  };

  /// Word `index`. A sample whose words of attempts 0 to `attempt` - 1 were rejected takes the word
  /// of the same number from the next subsequence.
  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t word(std::uint64_t index,
                                                       std::uint32_t attempt = 0) const {
    const std::uint64_t k = index & 3;
    return joined(high_halves(index >> 2, attempt).word[k],
                  low_halves(index >> 2, attempt).word[k]);
  }

  [[nodiscard]] WRSGPU_HD static constexpr std::uint64_t joined(std::uint32_t high,
                                                                std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }

  /// These words with each key passed through `keep`, an identity by which kernels pin keys in
  /// registers.
  template <class Keep>
  [[nodiscard]] WRSGPU_HD constexpr SplitWords kept(const Keep& keep) const {
    SplitWords words = *this;
    for (std::uint32_t& key : words.k0_) key = keep(key);
    for (std::uint32_t& key : words.k1_) key = keep(key);
    return words;
  }

 private:
  /// `philox_block` of the seed.
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock block(std::uint64_t index,
                                                      std::uint64_t subsequence) const {
    return rounds_from<0>(
        {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
          static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)}});
  }
  template <std::uint32_t first>
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock rounds_from(PhiloxBlock counter) const {
    for (std::uint32_t round = first; round < rounds; ++round) {
      counter = philox_round(counter, k0_[round], k1_[round]);
    }
    return counter;
  }

  std::uint32_t k0_[std::size_t{rounds}]{};
  std::uint32_t k1_[std::size_t{rounds}]{};
};

}  // namespace wrsgpu::random
