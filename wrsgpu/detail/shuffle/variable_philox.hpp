// VariablePhilox: a bijection of the numbers of any bit width, after Mitchell, Stokes, Frank and
// Holmes, "Bandwidth-optimal random shuffling for GPUs" (2021), section 3.2.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {

/// A bijection of [0, 2^bits) of `rounds` rounds. The paper finds that fewer than 20 rounds fail a
/// chi-squared test over the permutations of five items, and uses 24.
///
/// A number is a pair of a left half of floor(bits/2) bits and a right half of the others, one bit
/// more if `bits` is odd. A round multiplies the left half by an odd constant. The low bits of the
/// product, with the odd bit of the right half appended, are the new right half, so nothing is
/// lost; the new left half is the XOR of the high bits, a key and the other bits of the right half.
///
/// All its permutations are even from 4 bits on: so are a multiplication of one half for each value
/// of the other, an XOR for each value of the other half, and the exchange of halves. For lengths
/// between powers of two, where some images are left out, odd permutations are as frequent as even
/// ones.
template <unsigned rounds = 24>
class VariablePhilox {
 public:
  static_assert(rounds >= 1);
  /// With fewer than four bits, a half is at most one bit and rounds can do almost nothing.
  static constexpr unsigned min_bits = 4;
  static constexpr unsigned max_bits = 41;

  /// `bits` is in [min_bits, max_bits].
  WRSGPU_HD VariablePhilox(unsigned bits, std::uint64_t seed)
      : left_bits_(bits / 2),
        right_bits_(bits - bits / 2),
        keys_(round_keys<rounds>(seed, std::uint64_t{1} << bits, KeyUse::variable_philox)) {}

  /// The smallest bijection of at least `size` numbers.
  [[nodiscard]] static WRSGPU_HD VariablePhilox of_at_least(std::uint64_t size,
                                                            std::uint64_t seed) {
    const auto bits = static_cast<unsigned>(bit_width(size > 0 ? size - 1 : 0));
    return VariablePhilox(bits < min_bits ? min_bits : bits, seed);
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t size() const {
    return std::uint64_t{1} << (left_bits_ + right_bits_);
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t index) const {
    Halves halves = split(index);
    for (unsigned round = 0; round < rounds; ++round) halves = one_round(halves, round);
    return join(halves);
  }

  /// The number whose image is `image`.
  [[nodiscard]] WRSGPU_HD std::uint64_t inverse(std::uint64_t image) const {
    const std::uint32_t left_mask = mask(left_bits_);
    const unsigned odd_bits = right_bits_ - left_bits_;
    auto left = static_cast<std::uint32_t>(image >> right_bits_);
    std::uint32_t right = static_cast<std::uint32_t>(image) & mask(right_bits_);
    for (unsigned round = rounds; round-- > 0;) {
      const std::uint32_t old_left =
          ((right >> odd_bits) * static_cast<std::uint32_t>(inverse_multiplier)) & left_mask;
      const std::uint64_t product = multiplier * old_left;
      const std::uint32_t low =
          (left ^ keys_.key[round] ^ static_cast<std::uint32_t>(product >> 32)) & left_mask;
      right = ((right & mask(odd_bits)) << left_bits_) | low;
      left = old_left;
    }
    return join({left, right});
  }

  // Building blocks, for loops that evaluate many numbers in parallel (blocks.hpp).

  struct Halves {
    std::uint32_t left;
    std::uint32_t right;
  };
  [[nodiscard]] static constexpr unsigned round_count() { return rounds; }
  /// The multiplier of Philox2x64 (Salmon and others, 2011).
  static constexpr std::uint64_t multiplier = 0xD2B7'4407'B1CE'6E93U;
  [[nodiscard]] WRSGPU_HD unsigned left_bits() const { return left_bits_; }
  [[nodiscard]] WRSGPU_HD unsigned right_bits() const { return right_bits_; }
  [[nodiscard]] WRSGPU_HD std::uint32_t key(unsigned round) const { return keys_.key[round]; }
  [[nodiscard]] WRSGPU_HD Halves split(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index >> right_bits_),
            static_cast<std::uint32_t>(index) & mask(right_bits_)};
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t join(Halves halves) const {
    return (std::uint64_t{halves.left} << right_bits_) | halves.right;
  }
  /// Round `round`. The 64-bit product is computed from 32-bit ones, because the left half has at
  /// most 32 bits.
  [[nodiscard]] WRSGPU_HD Halves one_round(Halves halves, unsigned round) const {
    constexpr auto low = static_cast<std::uint32_t>(multiplier);
    constexpr auto high = static_cast<std::uint32_t>(multiplier >> 32);
    const std::uint64_t product = std::uint64_t{low} * halves.left;
    const std::uint32_t upper = static_cast<std::uint32_t>(product >> 32) + high * halves.left;
    const std::uint32_t odd_bit = halves.right >> left_bits_;
    return {(upper ^ keys_.key[round] ^ halves.right) & mask(left_bits_),
            ((static_cast<std::uint32_t>(product) << (right_bits_ - left_bits_)) | odd_bit) &
                mask(right_bits_)};
  }

 private:
  /// The inverse of the multiplier modulo 2^64, by Newton's iteration, which doubles the number of
  /// correct bits.
  static constexpr std::uint64_t inverse_multiplier = [] {
    std::uint64_t inverse = multiplier;
    for (int step = 0; step < 5; ++step) inverse *= 2 - multiplier * inverse;
    return inverse;
  }();
  static_assert(multiplier * inverse_multiplier == 1);

  [[nodiscard]] static constexpr WRSGPU_HD std::uint32_t mask(unsigned bits) {
    return (std::uint32_t{1} << bits) - 1;
  }

  unsigned left_bits_;
  unsigned right_bits_;
  RoundKeys<rounds> keys_;
};

}  // namespace wrsgpu::shuffle
