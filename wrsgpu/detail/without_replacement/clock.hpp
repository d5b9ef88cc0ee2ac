// Exponential clocks. Item i rings at time E_i / w_i, where E_i is an exponential deviate of mean
// 1; the items in the order in which they ring are a weighted sample without replacement: the first
// is i with probability w_i / W, the next one j with probability w_j / (W - w_i), and so on
// (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/rounded.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// A time as an integer of the same order: a double with 12 bits of exponent and no sign. The times
/// of weights from 2^-1074 to 2^1024 exceed the range of a double.
using ClockKey = std::uint64_t;

/// Later than every clock.
inline constexpr ClockKey never = ~ClockKey{0};

/// The exponent field of times in [1, 2). Fields of clocks are between 60 and 2240.
inline constexpr int clock_bias = 1023 + 128;

/// `exponential` of a word below 2^63, without a branch.
[[nodiscard]] WRSGPU_HD inline double exponential_of_small(std::uint64_t word) {
  return random::minus_log_one_minus(static_cast<double>(2 * word + 1) * 0x1p-65);
}
/// An exponential deviate of mean 1: -log(1 - u) for u = (word + 1/2) / 2^64, to a relative error
/// below 2^-49 also where it is small. In (2^-65, 46).
[[nodiscard]] WRSGPU_HD inline double exponential(std::uint64_t word) {
  if (word >> 63 == 0) return exponential_of_small(word);
  // 1 - u = m / 2^shift with m in [1/2, 1): the two logarithms have the same sign.
  const std::uint64_t odd = 2 * ~word + 1;  // 1 - u, times 2^65
  const int shift = 64 - bit_width(odd);
  const double one_minus_m = static_cast<double>(0 - (odd << shift)) * 0x1p-64;
  return rounded_sum(rounded_product(shift + 1, random::log_2),
                     random::minus_log_one_minus(one_minus_m));
}

/// A positive finite number as `mantissa` in [1, 2) times 2^`exponent`.
struct SplitNumber {
  double mantissa;
  int exponent;
};
[[nodiscard]] WRSGPU_HD inline SplitNumber split_number(double x) {
  const bool is_denormal = x < 0x1p-1022;
  const std::uint64_t bits = double_bits(x * (is_denormal ? 0x1p54 : 1.0));
  constexpr std::uint64_t one = std::uint64_t{1023} << 52;
  return {double_of_bits((bits & ((std::uint64_t{1} << 52) - 1)) | one),
          static_cast<int>(bits >> 52) - 1023 - (is_denormal ? 54 : 0)};
}

/// The time at which an item of this weight, positive and finite, rings, from its deviate.
[[nodiscard]] WRSGPU_HD inline ClockKey clock_key_of(double deviate, double weight) {
  const SplitNumber w = split_number(weight);
  const std::uint64_t time = double_bits(deviate / w.mantissa);
  return time + (static_cast<std::uint64_t>(clock_bias - 1023 - w.exponent) << 52);
}
/// The same from its word. The same bits on host and device, for a weight given as float or double.
[[nodiscard]] WRSGPU_HD inline ClockKey clock_key(std::uint64_t word, double weight) {
  return clock_key_of(exponential(word), weight);
}

/// An item and its clock.
struct Ringing {
  ClockKey key;
  Index item;

  /// Equal clocks ring in the order of the items.
  [[nodiscard]] WRSGPU_HD friend bool operator<(const Ringing& a, const Ringing& b) {
    return a.key < b.key || (a.key == b.key && a.item < b.item);
  }
};

/// Decides from the high half of an item's word that its clock rings at `threshold` or later, by a
/// product and a comparison. True for every item that rings before, and for few others: E >= u, and
/// so E / w < t implies u < w t. The comparison is of 1 + u, whose bits are those of u, and 1 + w
/// t, rounded: u, cut to the bits that follow a 1, is not greater than w t after a rounding,
/// either. Items of weight 0 may pass.
template <class T>
class MayRingBefore {
 public:
  WRSGPU_HD explicit MayRingBefore(ClockKey threshold) {
    constexpr std::uint64_t mantissa_bits = (std::uint64_t{1} << 52) - 1;
    const double mantissa = double_of_bits((threshold & mantissa_bits) | std::uint64_t{1023} << 52);
    // Larger by more than all roundings. A time beyond the range of T, before which all positive
    // weights pass, is infinite.
    const int exponent = static_cast<int>(threshold >> 52) - clock_bias;
    const int limit = std::is_same_v<T, float> ? 127 : 1023;
    const int clamped = exponent > limit + 1 ? limit + 1 : exponent;
    const double half = power_of_two(clamped / 2);
    threshold_ =
        static_cast<T>(mantissa * (1 + 0x1p-20) * half * power_of_two(clamped - clamped / 2));
    // Denormal numbers have larger roundings.
    threshold_ += std::is_same_v<T, float> ? static_cast<T>(0x1p-149) : static_cast<T>(0x1p-1074);
  }
  [[nodiscard]] WRSGPU_HD bool operator()(std::uint32_t high_half, T weight) const {
    if constexpr (std::is_same_v<T, float>) {
#ifdef __CUDA_ARCH__
      const float point = __uint_as_float(__funnelshift_r(high_half, 0x7FU, 9));
      return point <= __fmaf_rn(weight, threshold_, 1.0F);
#else
      return std::bit_cast<float>(0x3F80'0000U | high_half >> 9) <= 1.0F + weight * threshold_;
#endif
    } else {
      const double point =
          double_of_bits(std::uint64_t{0x3FF0'0000} << 32 | std::uint64_t{high_half} << 20);
#ifdef __CUDA_ARCH__
      return point <= __fma_rn(weight, threshold_, 1.0);
#else
      return point <= 1.0 + weight * threshold_;
#endif
    }
  }

 private:
  [[nodiscard]] WRSGPU_HD static double power_of_two(int e) {
    return double_of_bits(static_cast<std::uint64_t>(e + 1023) << 52);
  }

  T threshold_;
};

}  // namespace wrsgpu::detail
