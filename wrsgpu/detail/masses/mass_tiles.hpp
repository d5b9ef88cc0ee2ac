// Weights as integers that add up to exactly N * 2^32, one bucket of 2^32 per item.
// docs/exact_masses.md defines them in four steps, tile by tile (tile_map.hpp says which items a
// tile has), and proves
//   |q_i - m_i| < 5/2 + N / 2^27 + m_i / 2^35 with m_i = w_i N 2^32 / (sum of w), and q_i = 0 if
//   w_i = 0.
// They follow from integers and single roundings only, so they are the same bits on every device,
// whatever the launch shape and the number of threads.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Items per tile. The tile size determines the roundings, so it is not a tuning parameter.
inline constexpr Index mass_tile_items = 2048;

[[nodiscard]] WRSGPU_HD constexpr Index mass_tile_count(std::uint64_t items) {
  return static_cast<Index>((items + mass_tile_items - 1) / mass_tile_items);
}

/// Upper bound of the difference between a mass and `exact_mass`: the bound above.
[[nodiscard]] constexpr double mass_bound(double exact_mass, std::uint64_t items) {
  return 2.5 + 0x1p-27 * static_cast<double>(items) + 0x1p-35 * exact_mass;
}

/// Step 4: whether an item with this f_i gives or takes a unit before others do. Such an item stays
/// light.
[[nodiscard]] WRSGPU_HD constexpr bool takes_unit_first(std::uint64_t mass) {
  return mass < fixed_bucket - 1;
}

namespace detail {

/// 2^e for a normal number.
[[nodiscard]] WRSGPU_HD inline double power_of_two(int e) {
  const std::uint64_t bits = static_cast<std::uint64_t>(e + 1023) << 52;
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// Rounds `x` to the nearest integer, ties to even; `x` is not negative and fits in `Whole`.
template <class Whole>
[[nodiscard]] WRSGPU_HD inline std::uint64_t nearest(double x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_signed_v<Whole>) return static_cast<std::uint64_t>(__double2ll_rn(x));
  return __double2ull_rn(x);
#else
  // Beyond 2^52 all numbers are integers.
  if (!std::is_signed_v<Whole> && x >= 0x1p62) return static_cast<std::uint64_t>(x);
  return static_cast<std::uint64_t>(std::llrint(x));
#endif
}

}  // namespace detail

/// Type of the sum of the v_i of a tile, and of the V_t of all tiles in one unit.
using WideSum = WideInteger;

/// Maps w to the integer w * 2^shift * factor, for weights of type T, if that is less than 2^63 or,
/// with an unsigned `Whole`, 2^64. The product is rounded once, unless it is far below 1; without a
/// factor it is exact.
template <class T, class Whole = std::int64_t>
class IntegerWeight {
 public:
  /// For float weights the factor is one double; for double weights it may take two, the first of
  /// them a power of two.
  WRSGPU_HD explicit IntegerWeight(int shift, double factor = 1)
      : first_(detail::power_of_two(is_float ? 0 : shift / 2)),
        second_(detail::power_of_two(is_float ? shift : shift - shift / 2) * factor) {}

  [[nodiscard]] WRSGPU_HD double first() const { return first_; }
  [[nodiscard]] WRSGPU_HD double second() const { return second_; }

  /// Rounds down.
  [[nodiscard]] WRSGPU_HD std::uint64_t floor(T weight) const {
    return static_cast<std::uint64_t>(static_cast<Whole>(product(weight)));
  }
  /// Rounds to the nearest integer, ties to even.
  [[nodiscard]] WRSGPU_HD std::uint64_t nearest(T weight) const {
    return detail::nearest<Whole>(product(weight));
  }

  [[nodiscard]] WRSGPU_HD double product(T weight) const {
    if constexpr (is_float) {
      return static_cast<double>(weight) * second_;
    } else {
      return weight * first_ * second_;
    }
  }

 private:
  static constexpr bool is_float = std::is_same_v<T, float>;

  double first_;
  double second_;
};

/// Step 1: the tile's weight V_t in units of 2^-shift, or 0.
struct TileSum {
  std::uint64_t sum;
  int shift;
};

/// e, for a tile whose largest weight is `largest`, not 0.
[[nodiscard]] WRSGPU_HD inline int largest_shift(double largest) { return 61 - ilogb(largest); }

/// Number of bits of a sum beyond 62; the sum must have at least 62.
[[nodiscard]] WRSGPU_HD inline int excess_digits(WideSum sum) {
  return bit_width(static_cast<std::uint64_t>(sum >> 62));
}

/// V_t, from the sum of the v_i in units of 2^-shift.
[[nodiscard]] WRSGPU_HD inline TileSum normalised(WideSum sum, int shift) {
  const int excess = excess_digits(sum);
  return {static_cast<std::uint64_t>(sum >> excess), shift - excess};
}

/// Step 2: the term of a tile in R_t. `min_shift` is the smallest shift of all tiles with weight.
[[nodiscard]] WRSGPU_HD inline WideSum common_tile_sum(const TileSum& tile, int min_shift) {
  const int right = tile.shift - min_shift;
  return tile.sum > 0 && right < 64 ? tile.sum >> right : 0;
}

/// Step 2: the last R_t, in units of 2^-shift, the coarsest of the tiles' units.
struct CommonSum {
  WideSum total;
  int shift;
};
/// Step 2 on one host thread, for `count` tiles; tile_sum(t) is the `TileSum` of tile t.
template <class Sum>
[[nodiscard]] CommonSum common_sum(std::size_t count, const Sum& tile_sum) {
  CommonSum all{0, std::numeric_limits<int>::max()};
  for (std::size_t t = 0; t < count; ++t) {
    const TileSum tile = tile_sum(t);
    if (tile.sum > 0 && tile.shift < all.shift) all.shift = tile.shift;
  }
  for (std::size_t t = 0; t < count; ++t) all.total += common_tile_sum(tile_sum(t), all.shift);
  return all;
}

/// The total weight, where the last R_t is `total` in units of 2^-shift. May overflow to infinity.
[[nodiscard]] WRSGPU_HD inline double common_weight(WideSum total, int shift) {
  const int excess = excess_digits(total);
  return ldexp(static_cast<double>(static_cast<std::uint64_t>(total >> excess)), excess - shift);
}

/// Steps 2 and 3, starting with R_t.
class CommonUnit {
 public:
  CommonUnit() = default;
  /// `total` is the last R_t; 0 gives no mass to any tile.
  WRSGPU_HD CommonUnit(WideSum total, Index items)
      : excess_(excess_digits(total)),
        total_(static_cast<std::uint64_t>(total >> excess_)),
        mass_(std::uint64_t{items} << 32),
        shift_(125 - bit_width(mass_)) {
    if (total_ == 0) return;
    slope_ = wide_quotient((WideSum{mass_} << shift_) + (total_ - 1), total_);
  }

  /// The mass of the tiles up to and including t: F(r_t), where `sum` is R_t.
  [[nodiscard]] WRSGPU_HD std::uint64_t prefix_mass(WideSum sum) const {
    const auto part = static_cast<std::uint64_t>(sum >> excess_);
    const WideSum mass = WideSum{part} * slope_ >> shift_;
    return mass < mass_ ? static_cast<std::uint64_t>(mass) : mass_;
  }

 private:
  int excess_;
  std::uint64_t total_;
  std::uint64_t mass_;
  int shift_;
  std::uint64_t slope_ = 0;
};

/// Result of the pass over the weights for a tile; determines the masses of its items.
struct MassTile {
  int shift = 0;           ///< s_t
  double slope = 0;        ///< c, in units of 2^shift
  std::uint64_t mass = 0;  ///< Q_t

  MassTile() = default;
  WRSGPU_HD MassTile(const TileSum& tile, std::uint64_t tile_mass)
      : shift(tile.shift),
        slope(tile.sum == 0
                  ? 0
                  : static_cast<double>(tile_mass) / static_cast<double>(tile.sum) * (1 - 0x1p-48)),
        mass(tile_mass) {}
};

}  // namespace wrsgpu
