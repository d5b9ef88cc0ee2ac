// The time before which slightly more than k clocks ring, estimated from some of the weights. It
// decides how fast a draw is, not what it draws.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// How many clocks are wanted and kept for a draw of k of some items.
///
/// The estimate takes each weight with probability 1 / stride. Of f clocks that ring before some
/// time it finds f within a few sqrt(f stride), and a few items that it did not see: those are the
/// margins, so that a draw rarely needs a second pass whatever the weights.
struct ChoicePlan {
  /// The estimate takes 2^`max_sampled_bits` of more weights, at most 2^18.
  WRSGPU_HD ChoicePlan(Index items, Index chosen, int max_sampled_bits)
      : sampled_bits(max_sampled_bits),
        sampled(items < Index{1} << max_sampled_bits ? items : Index{1} << max_sampled_bits),
        stride(static_cast<double>(items) / sampled) {
    const double k = chosen;
    wanted = k * (1 + 0x1p-6) + 4 * sqrt(k * stride) + 2.5 * stride;
    const double most = wanted * (1 + 0x1p-6) + 4 * sqrt(wanted * stride) + 4 * stride + 64;
    capacity = most < items ? static_cast<Index>(most) : items;
  }

  int sampled_bits;
  Index sampled;   ///< weights that the estimate takes
  double stride;   ///< items for each of them
  double wanted;   ///< expected number of clocks before the threshold
  Index capacity;  ///< maximum number of clocks to keep
};

/// The `j`-th item of the estimate: a random one of its stride.
[[nodiscard]] WRSGPU_HD inline Index sampled_item(const ChoicePlan& plan, Index items,
                                                  std::uint64_t seed, Index j) {
  if (plan.sampled == items) return j;
  const std::uint64_t begin = std::uint64_t{j} * items >> plan.sampled_bits;
  const std::uint64_t end = (std::uint64_t{j} + 1) * items >> plan.sampled_bits;
  const std::uint64_t word = random::philox_word(seed, j, random::orders_subsequence) >> 32;
  return static_cast<Index>(begin + (word * (end - begin) >> 32));
}

/// Numbers and sums of weights by their exponents.
struct WeightOctaves {
  static constexpr int count = 2098;  ///< from 2^-1074 to 2^1023

  /// The octave of a weight, and what to add to it.
  struct Entry {
    int octave;
    std::uint64_t value;
  };
  /// For positive finite weights.
  [[nodiscard]] static WRSGPU_HD Entry entry(double weight) {
    const SplitNumber w = split_number(weight);
    return {w.exponent + 1074,
            one + static_cast<std::uint64_t>((w.mantissa - 1) * (1 << fraction_bits))};
  }

  /// Thresholds have a few bits of mantissa. These are the first and the last one, in their units.
  static constexpr int threshold_shift = 44;
  static constexpr ClockKey first_threshold = std::uint64_t{60} << (52 - threshold_shift);
  static constexpr ClockKey last_threshold = std::uint64_t{2241} << (52 - threshold_shift);

  static constexpr int fraction_bits = 16;
  /// A weight; sums of 2^24 fractions fit below.
  static constexpr int one_bits = 40;
  static constexpr std::uint64_t one = std::uint64_t{1} << one_bits;
};

/// The weights of an octave: how many of their clocks are expected to ring.
class OctaveOfClocks {
 public:
  OctaveOfClocks() = default;
  /// `value` is the sum of the entries.
  WRSGPU_HD OctaveOfClocks(int octave, std::uint64_t value)
      : weights_(static_cast<float>(value >> WeightOctaves::one_bits)),
        mean_(1 + static_cast<float>(value % WeightOctaves::one) /
                      (1 << WeightOctaves::fraction_bits) / weights_),
        exponent_(octave - 1074 - clock_bias) {}

  /// Before `time`, a threshold.
  [[nodiscard]] WRSGPU_HD float ringing(ClockKey time) const {
    const int exponent = exponent_ + static_cast<int>(time >> 52);
    if (exponent > 8) return weights_;  // never overflows
    if (exponent < -126) return 0;
    const float scale = float_of_bits(static_cast<std::uint32_t>(exponent + 127) << 23);
    const auto mantissa = static_cast<std::uint32_t>(time >> 29) & 0x7F'FFFFU;
    return weights_ * -expm1f(-mean_ * float_of_bits(0x3F80'0000U | mantissa) * scale);
  }

 private:
  [[nodiscard]] static WRSGPU_HD float float_of_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
  }

  float weights_;
  float mean_;  // in units of the octave
  int exponent_;
};

}  // namespace wrsgpu::detail
