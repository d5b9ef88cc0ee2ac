// Pseudo-random permutations that are functions of (seed, index), after Mitchell, Stokes, Frank and
// Holmes, "Bandwidth-optimal random shuffling for GPUs" (2021), section 3: a keyed bijection of [0,
// 2^k), extended to any length by cycle walking.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::shuffle {

/// A bijection of [0, 2^bits), bits <= 32: a Feistel network of 24 rounds on the low floor(bits/2)
/// and the remaining high bits of the index. Each round changes one part by a function of the
/// other, so the whole is a bijection for any such function. The paper finds that fewer than 20
/// rounds of its network fail a chi-squared test over all permutations of five items, and
/// recommends 24; the same test gives the same result for this network. From bits = 4 on, all its
/// permutations are even, as those of every such network are.
class FeistelBijection {
 public:
  static constexpr int rounds = 24;

  WRSGPU_HD FeistelBijection(unsigned bits, std::uint64_t seed)
      : low_bits_(bits / 2),
        low_mask_((std::uint32_t{1} << low_bits_) - 1),
        high_mask_((std::uint32_t{1} << (bits - low_bits_)) - 1) {
    for (std::uint32_t block = 0; block < rounds / 4; ++block) {
      // The third and fourth counter words together are not a subsequence named in philox.hpp.
      const random::PhiloxBlock key =
          random::philox4x32({{block, 0, 1, bits}}, static_cast<std::uint32_t>(seed),
                             static_cast<std::uint32_t>(seed >> 32));
      for (std::uint32_t i = 0; i < 4; ++i) keys_[4 * block + i] = key.word[i];
    }
  }

  [[nodiscard]] WRSGPU_HD std::uint32_t operator()(std::uint32_t index) const {
    std::uint32_t low = index & low_mask_;
    std::uint32_t high = index >> low_bits_;
    for (int round = 0; round < rounds; round += 2) {
      low ^= mix(high ^ keys_[round]) & low_mask_;
      high ^= mix(low ^ keys_[round + 1]) & high_mask_;
    }
    return (high << low_bits_) | low;
  }

 private:
  /// The 16 best-mixed bits of an integer hash with two odd multipliers; with one multiplication
  /// per round, even 32 rounds fail the test.
  [[nodiscard]] static WRSGPU_HD std::uint32_t mix(std::uint32_t x) {
    x *= 0x7FEB'352DU;
    x ^= x >> 15;
    x *= 0x846C'A68BU;
    return x >> 16;
  }

  unsigned low_bits_;
  std::uint32_t low_mask_;
  std::uint32_t high_mask_;
  std::uint32_t keys_[rounds];
};

/// A permutation of [0, size), size in [1, 2^32]: the bijection of the next power of two, applied
/// repeatedly while the image is outside, which takes fewer than two evaluations per index on
/// average.
class Permutation {
 public:
  WRSGPU_HD Permutation(std::uint64_t size, std::uint64_t seed)
      : size_(size), bijection_(static_cast<unsigned>(bit_width(size - 1)), seed) {}

  [[nodiscard]] WRSGPU_HD std::uint64_t size() const { return size_; }
  [[nodiscard]] WRSGPU_HD const FeistelBijection& bijection() const { return bijection_; }
  [[nodiscard]] WRSGPU_HD Index operator()(Index index) const {
    do {
      index = bijection_(index);
    } while (index >= size_);
    return index;
  }

 private:
  std::uint64_t size_;
  FeistelBijection bijection_;
};

}  // namespace wrsgpu::shuffle
