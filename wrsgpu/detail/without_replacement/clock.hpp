// Exponential clocks. Item i rings at time E_i / w_i, where E_i is an exponential deviate of mean
// 1; the items in the order in which they ring are a weighted sample without replacement: the first
// is i with probability w_i / W, the next one j with probability w_j / (W - w_i), and so on
// (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
#pragma once

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

/// An exponential deviate of mean 1: -log(1 - u) for u = (word + 1/2) / 2^64, to a relative error
/// below 2^-49 also where it is small. In (2^-65, 46).
[[nodiscard]] WRSGPU_HD inline double exponential(std::uint64_t word) {
  const bool is_below_half = word >> 63 == 0;
  const std::uint64_t odd = 2 * (is_below_half ? word : ~word) + 1;  // u or 1 - u, times 2^65
  if (is_below_half) {
    return random::minus_log_one_minus(static_cast<double>(odd) * 0x1p-65);
  }
  // 1 - u = m / 2^shift with m in [1/2, 1): the two logarithms have the same sign.
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
  const std::uint64_t bits = double_bits(is_denormal ? x * 0x1p54 : x);
  constexpr std::uint64_t one = std::uint64_t{1023} << 52;
  return {double_of_bits((bits & ((std::uint64_t{1} << 52) - 1)) | one),
          static_cast<int>(bits >> 52) - 1023 - (is_denormal ? 54 : 0)};
}

/// The time at which an item of this weight, positive and finite, rings. The same bits on host and
/// device, for a weight given as float or double.
[[nodiscard]] WRSGPU_HD inline ClockKey clock_key(std::uint64_t word, double weight) {
  const SplitNumber w = split_number(weight);
  const std::uint64_t time = double_bits(exponential(word) / w.mantissa);
  return time + (static_cast<std::uint64_t>(clock_bias - 1023 - w.exponent) << 52);
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
/// so E / w < t implies u < w t. Items of weight 0 may pass.
template <class T>
class MayRingBefore {
 public:
  WRSGPU_HD explicit MayRingBefore(ClockKey threshold) {
    // threshold * 2^24, as two factors within the range of T; of those beyond, all weights pass.
    const int field = static_cast<int>(threshold >> 52) - clock_bias + high_bits;
    const int exponent = field < max_exponent ? field : max_exponent;
    constexpr std::uint64_t mantissa_bits = (std::uint64_t{1} << 52) - 1;
    const double mantissa = double_of_bits((threshold & mantissa_bits) | std::uint64_t{1023} << 52);
    first_ = power_of_two(exponent / 2);
    // Larger by more than all roundings of the comparison.
    second_ = power_of_two(exponent - exponent / 2) * static_cast<T>(mantissa * (1 + 0x1p-20));
  }
  [[nodiscard]] WRSGPU_HD bool operator()(std::uint32_t high_half, T weight) const {
    return static_cast<T>(static_cast<std::int32_t>(high_half >> (32 - high_bits))) <=
           weight * first_ * second_;
  }

 private:
  static constexpr int high_bits = 24;  // which a float holds; a signed integer is converted faster
  static constexpr int max_exponent = std::is_same_v<T, float> ? 240 : 2000;
  [[nodiscard]] WRSGPU_HD static T power_of_two(int e) {
    return static_cast<T>(double_of_bits(static_cast<std::uint64_t>(e + 1023) << 52));
  }

  T first_;
  T second_;
};

}  // namespace wrsgpu::detail
