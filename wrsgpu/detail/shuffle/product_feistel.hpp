// A bijection of slightly more than `size` numbers, for any size: a Feistel network over a x b.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {

/// A bijection of [0, a b), where a b is at least the requested size and exceeds it by less than a,
/// with a close to the square root of the size. The network is that of Black and Rogaway, "Ciphers
/// with arbitrary finite domains" (2002): a number is a pair (left, right) in [0, a) x [0, b), and
/// a round adds a function of one half and of a key to the other half, modulo its range. A range of
/// 2^bits may be up to twice the size; this one is within a factor of 1 + 1/sqrt(size), so that
/// hardly any image is outside the range to be permuted.
///
/// a is even: adding to one half rotates rows whose length is a or b; if both were odd, all
/// permutations would be even.
template <unsigned rounds = 24>
class ProductFeistel {
 public:
  static_assert(rounds >= 2 && rounds % 2 == 0);

  /// `size` is in [1, max_keys].
  WRSGPU_HD ProductFeistel(std::uint64_t size, std::uint64_t seed)
      : left_size_(even_side(size)),
        right_size_(static_cast<std::uint32_t>((size + left_size_ - 1) / left_size_)),
        keys_(round_keys<rounds>(seed, size, KeyUse::product_feistel)) {
    if (right_size_ < 2) right_size_ = 2;
    reciprocal_ = ~std::uint64_t{0} / right_size_ + 1;
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t size() const {
    return std::uint64_t{left_size_} * right_size_;
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t index) const {
    Halves halves = split(index);
    for (unsigned round = 0; round < rounds; round += 2) halves = two_rounds(halves, round);
    return join(halves);
  }

  /// The number whose image is `image`.
  [[nodiscard]] WRSGPU_HD std::uint64_t inverse(std::uint64_t image) const {
    Halves halves = split(image);
    for (unsigned round = rounds; round > 0; round -= 2) {
      halves.right = wrapped(
          halves.right + right_size_ - below(right_size_, mix(halves.left ^ keys_.key[round - 1])),
          right_size_);
      halves.left = wrapped(
          halves.left + left_size_ - below(left_size_, mix(halves.right ^ keys_.key[round - 2])),
          left_size_);
    }
    return join(halves);
  }

  // Building blocks, for loops that evaluate many numbers in parallel (blocks.hpp).

  struct Halves {
    std::uint32_t left;
    std::uint32_t right;
  };
  [[nodiscard]] static constexpr unsigned round_count() { return rounds; }
  static constexpr std::uint32_t first_multiplier = 0x7FEB'352DU;
  static constexpr std::uint32_t second_multiplier = 0x846C'A68BU;
  [[nodiscard]] WRSGPU_HD std::uint32_t left_size() const { return left_size_; }
  [[nodiscard]] WRSGPU_HD std::uint32_t right_size() const { return right_size_; }
  [[nodiscard]] WRSGPU_HD std::uint32_t key(unsigned round) const { return keys_.key[round]; }
  /// index = left * right_size_ + right. The quotient is exact: the reciprocal is at most
  /// right_size_ / 2^64 too large, and index * right_size_ is less than 2^63.
  [[nodiscard]] WRSGPU_HD Halves split(std::uint64_t index) const {
#ifdef __CUDA_ARCH__
    const auto left = static_cast<std::uint32_t>(__umul64hi(index, reciprocal_));
#else
    const auto left = static_cast<std::uint32_t>(index / right_size_);
#endif
    return {left, static_cast<std::uint32_t>(index) - left * right_size_};
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t join(Halves halves) const {
    return std::uint64_t{halves.left} * right_size_ + halves.right;
  }
  /// Rounds `round`, which is even, and `round` + 1.
  [[nodiscard]] WRSGPU_HD Halves two_rounds(Halves halves, unsigned round) const {
    halves.left =
        wrapped(halves.left + below(left_size_, mix(halves.right ^ keys_.key[round])), left_size_);
    halves.right = wrapped(
        halves.right + below(right_size_, mix(halves.left ^ keys_.key[round + 1])), right_size_);
    return halves;
  }

 private:
  /// The even number closest to the square root.
  [[nodiscard]] static WRSGPU_HD std::uint32_t even_side(std::uint64_t size) {
    const auto half = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(size)) / 2);
    return 2 * (half > 0 ? half : 1);
  }

  /// An integer hash with two odd multipliers, whose high bits are the best mixed.
  [[nodiscard]] static WRSGPU_HD std::uint32_t mix(std::uint32_t x) {
    x *= first_multiplier;
    x ^= x >> 15;
    return x * second_multiplier;
  }
  /// Maps a word to a number in [0, size).
  [[nodiscard]] static WRSGPU_HD std::uint32_t below(std::uint32_t size, std::uint32_t word) {
    return static_cast<std::uint32_t>((std::uint64_t{word} * size) >> 32);
  }
  /// Reduces a number in [0, 2 size) modulo the size, which is far below 2^31: the smaller of the
  /// two candidates, because one of them wraps around.
  [[nodiscard]] static WRSGPU_HD std::uint32_t wrapped(std::uint32_t sum, std::uint32_t size) {
    const std::uint32_t less = sum - size;
    return less < sum ? less : sum;
  }

  std::uint32_t left_size_;
  std::uint32_t right_size_;
  std::uint64_t reciprocal_ = 0;
  RoundKeys<rounds> keys_;
};

}  // namespace wrsgpu::shuffle
