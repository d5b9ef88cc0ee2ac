// Weights of a segment as integers that add up to exactly d * 2^32, where d is its number of items.
//
// A segment is cut into parts of 2,048 items, counted from its own beginning; the last one may be
// shorter. All sums are of integers, so that the masses are the same bits on every device:
//   1. In a part, v_i = floor(w_i * 2^e), with e such that the largest is in [2^50, 2^51); S_i is
//   the
//      sum of v_0 to v_i, S that of all, less than 2^62.
//   2. The mass of a part is Q. A segment of one part has Q = d * 2^32. Otherwise the sums S of the
//      parts, shifted left to 62 bits, take the place of the tiles' weights in steps 2 and 3 of
//      wrsgpu/detail/masses/mass_tiles.hpp, which gives each part its Q.
//   3. The mass of item i is q_i = F(S_i) - F(S_(i-1)), F(x) = min(floor(x' u), Q), where x' is the
//      double nearest to x, u = (Q' / S') (1 + 2^-50), and the quotient and both products are
//      rounded to the nearest double.
// F(S) = Q, so the masses of a segment add up to d * 2^32 whatever is rounded, and w_i = 0 gives
// q_i = 0: there are four roundings of 2^-53 between Q and S' u, so S' u is in [Q, Q + Q / 2^49).
// If Q is less than 2^49, its floor is Q without a minimum. F is monotone as all of its steps are.
//
// Bound. Let m_i = w_i d 2^32 / W be the exact mass and M_p that of part p.
//   Step 1 cuts less than 1 from each of at most 2^11 items, of a sum of at least 2^50: S is right
//   within 2^-39 of itself.
//   Step 2 cuts less than 1 from each of at most 2^21 parts, of a total of at least 2^61, and adds
//   less than 1 + d / 2^30 + d / 2^28 as in docs/exact_masses.md. So
//     |Q - M_p| < 1 + d / 2^27 + M_p (2^-39 + 2^-40), and Q = M_p if there is one part.
//   Step 3: six roundings make x' u exceed x Q / S, by less than Q / 2^49, before the floor, which
//   takes less than 1. So q_i is within 1 + Q / 2^49 of v_i Q / S; and v_i / S is within
//   1 / 2^50 + 2^-39 x_i of the item's share x_i of the part, so q_i is within
//   1 + 3 Q / 2^50 + 2^-39 x_i Q of x_i Q.
// As Q <= d 2^32, x_i M_p = m_i and x_i <= 1, together
//   |q_i - m_i| < 2 + d / 2^16 + m_i / 2^37.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/rounded.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// Items per part. The size determines the roundings, so it is not a tuning parameter.
inline constexpr Index part_items = mass_tile_items;

[[nodiscard]] WRSGPU_HD constexpr Index part_count(std::uint64_t items) {
  return mass_tile_count(items);
}

/// Upper bound of the difference between a mass and `exact_mass`: the bound above.
[[nodiscard]] constexpr double segment_mass_bound(double exact_mass, std::uint64_t items) {
  return 2 + 0x1p-16 * static_cast<double>(items) + 0x1p-37 * exact_mass;
}

/// The exponent of a weight of 0: less than that of every other.
inline constexpr int no_exponent = -2000;
/// The exponent of a valid weight.
template <class T>
[[nodiscard]] WRSGPU_HD int exponent_of(T weight) {
  if (!(weight > 0)) return no_exponent;
  const double wide = weight;
#ifdef __CUDA_ARCH__
  // Every positive float is a normal double.
  if (sizeof(T) == sizeof(float) || wide >= 0x1p-1022) return (__double2hiint(wide) >> 20) - 1023;
#else
  if (wide >= 0x1p-1022) return static_cast<int>(double_bits(wide) >> 52) - 1023;
#endif
  return ilogb(wide);
}

/// e, where `exponent` is that of the largest weight of a part; not less than that of a denormal
/// number, so that a part without weight has v_i = 0.
[[nodiscard]] WRSGPU_HD constexpr int part_shift(int exponent) {
  constexpr int smallest = -1074;
  return 50 - (exponent < smallest ? smallest : exponent);
}

/// Step 2: the sum S of a part in 62 bits, from that in units of 2^-shift.
[[nodiscard]] WRSGPU_HD constexpr TileSum part_sum(std::uint64_t sum, int shift) {
  if (sum == 0) return {0, shift};
  const int left = 62 - bit_width(sum);
  return {sum << left, shift + left};
}

/// F of step 3.
class PrefixMass {
 public:
  PrefixMass() = default;
  /// @param total S, less than 2^62; 0 gives no mass to any item
  /// @param mass Q
  WRSGPU_HD PrefixMass(std::uint64_t total, std::uint64_t mass)
      : slope_(total == 0
                   ? 0
                   : static_cast<double>(mass) / static_cast<double>(total) * (1 + 0x1p-50)) {}

  /// The mass of the items whose v add up to `sum`, if Q is less than 2^49.
  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t sum) const {
    // The conversions of signed numbers take a processor less time.
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(product(sum)));
  }
  /// The same for any mass Q.
  [[nodiscard]] WRSGPU_HD std::uint64_t of_part(std::uint64_t sum, std::uint64_t mass) const {
    const auto all = static_cast<std::uint64_t>(product(sum));
    return all < mass ? all : mass;
  }
  /// u.
  [[nodiscard]] double slope() const { return slope_; }

 private:
  [[nodiscard]] WRSGPU_HD double product(std::uint64_t sum) const {
    return static_cast<double>(static_cast<std::int64_t>(sum)) * slope_;
  }

  double slope_;
};

}  // namespace wrsgpu::segments
