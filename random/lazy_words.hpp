// Random words whose low halves are drawn only where they matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/random/philox.hpp"

namespace wrsgpu::random {

/// 64-bit words of the stream `seed`. The high halves of words 4q to 4q + 3 are Philox block q of
/// subsequence 0, their low halves block q of `low_halves_subsequence`: who can do with high halves
/// has four words for one block. The keys of the rounds are computed once; a kernel that gets them
/// with its arguments finds each where it needs it.
template <int rounds = 10>
class LazyWords {
 public:
  WRSGPU_HD explicit constexpr LazyWords(std::uint64_t seed) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      k0_[round] = static_cast<std::uint32_t>(seed) + round * philox_key_step0;
      k1_[round] = static_cast<std::uint32_t>(seed >> 32) + round * philox_key_step1;
    }
  }

  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock high_halves(std::uint64_t quad) const {
    return block(quad, 0);
  }
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock low_halves(std::uint64_t quad) const {
    return block(quad, low_halves_subsequence);
  }
  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t word(std::uint64_t index) const {
    const std::uint64_t k = index & 3;
    return joined(high_halves(index >> 2).word[k], low_halves(index >> 2).word[k]);
  }

  [[nodiscard]] WRSGPU_HD static constexpr std::uint64_t joined(std::uint32_t high,
                                                                std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }

 private:
  /// `philox_block` of the seed.
  [[nodiscard]] WRSGPU_HD constexpr PhiloxBlock block(std::uint64_t index,
                                                      std::uint64_t subsequence) const {
    PhiloxBlock counter{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                         static_cast<std::uint32_t>(subsequence),
                         static_cast<std::uint32_t>(subsequence >> 32)}};
    for (std::uint32_t round = 0; round < rounds; ++round) {
      counter = philox_round(counter, k0_[round], k1_[round]);
    }
    return counter;
  }

  std::uint32_t k0_[std::size_t{rounds}]{};
  std::uint32_t k1_[std::size_t{rounds}]{};
};

}  // namespace wrsgpu::random
