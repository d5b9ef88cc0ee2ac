// Weights as integers that add up to exactly N * 2^32, one bucket of 2^32 per item.
//
// Tile by tile, so that a tile's masses follow from its own weights and one number that is known
// after a single pass over all of them; and in integers only, so that the masses are the same bits
// on every device, whatever the launch shape and the number of threads:
//   1. In tile t, v_i = floor(w_i * 2^s_t), with s_t such that V_t = sum(v) is in [2^61, 2^63).
//   2. All tiles in one unit: U_t = floor(V_t / 2^a_t), with a_t such that U = sum(U_t) is in
//      [2^61, 2^63).
//   3. The tile's mass Q_t = floor(R_t M / U) - floor(R_(t-1) M / U), M = N * 2^32, R the inclusive
//      prefix sums of U_t.
//   4. q_i = F(P_i) - F(P_(i-1)), P the inclusive prefix sums of v in the tile, and F the integer
//      line through (0, 0) and (V_t, Q_t).
// So sum(q) = M whatever is rounded, and w_i = 0 gives q_i = 0.
//
// Bound. Let m_i = w_i M / W be the exact mass.
//   Step 1 cuts less than 1 from each of at most 2^11 items of a tile: the part v_i / V_t is within
//   (1 + 2^11 w_i / W_t) / 2^61 of w_i / W_t.
//   Step 2 cuts less than 1 from each of at most 2^21 tiles; with step 3,
//   |Q_t - M_t| < 1 + M / 2^61 + M_t (2^-40 + 2^-49), M_t the exact mass of the tile.
//   Step 4: two roundings down of F, less than 1 together, and the slope of F, less than 2.
// An item's share of all that is at most
//   |q_i - m_i| < 4 + N / 2^28 + m_i / 2^39.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// What one bucket holds in fixed-point tables.
inline constexpr std::uint64_t fixed_bucket = std::uint64_t{1} << 32;

/// Items in a tile. It decides the roundings, so it is no matter of tuning.
inline constexpr Index mass_tile_items = 2048;

[[nodiscard]] WRSGPU_HD constexpr Index mass_tile_count(std::uint64_t items) {
  return static_cast<Index>((items + mass_tile_items - 1) / mass_tile_items);
}

/// Most that `allowed` in a test of the bound above.
[[nodiscard]] constexpr double mass_bound(double exact_mass, std::uint64_t items) {
  return 4 + 0x1p-28 * static_cast<double>(items) + 0x1p-39 * exact_mass;
}

namespace detail {

/// Number of binary digits, 0 for 0.
[[nodiscard]] WRSGPU_HD inline int digits(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return 64 - __clzll(static_cast<long long>(x));
#else
  return static_cast<int>(std::bit_width(x));
#endif
}

/// 2^e for a normal number.
[[nodiscard]] WRSGPU_HD inline double power_of_two(int e) {
  const std::uint64_t bits = static_cast<std::uint64_t>(e + 1023) << 52;
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

}  // namespace detail

/// w -> floor(w * 2^shift) for weights of type T, not negative, as long as that is below 2^63. The
/// products are exact, unless they are far below 1.
template <class T>
class IntegerWeight {
 public:
  /// For floats the power is a double of its own; for doubles it may take two.
  WRSGPU_HD explicit IntegerWeight(int shift)
      : first_(detail::power_of_two(std::is_same_v<T, float> ? shift : shift / 2)),
        second_(detail::power_of_two(std::is_same_v<T, float> ? 0 : shift - shift / 2)) {}

  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(T weight) const {
    if constexpr (std::is_same_v<T, float>) {
      return whole(static_cast<double>(weight) * first_);
    } else {
      return whole(weight * first_ * second_);
    }
  }

 private:
  /// A conversion to signed integers is one instruction.
  [[nodiscard]] WRSGPU_HD static std::uint64_t whole(double x) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }

  double first_;
  double second_;
};

/// Step 1: the tile's sum V_t, or 0, in units of 2^-shift.
struct TileSum {
  std::uint64_t sum;
  int shift;
};

/// The shift for a first sum of a tile whose largest weight is `largest`, not 0: it has at least 51
/// digits and at most 62.
[[nodiscard]] WRSGPU_HD inline int coarse_shift(double largest) { return 50 - ilogb(largest); }

/// s_t, where the sum with `coarse_shift` is `coarse_sum`.
[[nodiscard]] WRSGPU_HD inline int fine_shift(int coarse, std::uint64_t coarse_sum) {
  return coarse + 62 - detail::digits(coarse_sum);
}

/// Step 2, in two sums over the tiles. `least_shift` is that of all tiles with weight.
[[nodiscard]] WRSGPU_HD inline std::uint64_t coarse_tile_sum(const TileSum& tile, int least_shift) {
  const int right = tile.shift - least_shift + 22;
  return right < 64 ? tile.sum >> right : 0;
}

/// U_t; `digits` is the number of digits of the sum of all `coarse_tile_sum`.
[[nodiscard]] WRSGPU_HD inline std::uint64_t common_tile_sum(const TileSum& tile, int least_shift,
                                                             int digits) {
  const int right = tile.shift - least_shift + digits - 40;
  return right < 64 ? tile.sum >> right : 0;
}

/// Step 3: floor(sum * items * 2^32 / total) for sum <= total < 2^63.
[[nodiscard]] WRSGPU_HD inline std::uint64_t scaled_sum(std::uint64_t sum, Index items,
                                                        std::uint64_t total) {
  using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{sum} * (std::uint64_t{items} << 32) / total);
}

/// Step 4: F of a tile.
class TileLine {
 public:
  TileLine() = default;

  /// Through (0, 0) and (`sum`, `mass`); `sum` is V_t.
  WRSGPU_HD TileLine(std::uint64_t sum, std::uint64_t mass) : mass_(mass) {
    using Wide = unsigned __int128;
    if (sum == 0) return;
    // The slope times 2^(64 - drop) fits in 64 bits.
    const int digits = detail::digits(mass);
    drop_ = digits > 61 ? digits - 61 : 0;
    slope_ = static_cast<std::uint64_t>(((Wide{mass} << (64 - drop_)) + sum - 1) / sum);
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t prefix) const {
#ifdef __CUDA_ARCH__
    const std::uint64_t high = __umul64hi(prefix, slope_);
#else
    const auto high =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(prefix) * slope_ >> 64);
#endif
    if (drop_ == 0) return high;  // as it is for every tile of less than 2^29 buckets
    const std::uint64_t line = high << drop_ | (prefix * slope_) >> (64 - drop_);
    return line < mass_ ? line : mass_;
  }

 private:
  std::uint64_t slope_ = 0;
  std::uint64_t mass_ = 0;
  int drop_ = 0;
};

/// What is known of a tile after a pass over the weights: enough for its masses.
struct MassTile {
  int shift = 0;           ///< s_t
  std::uint64_t mass = 0;  ///< Q_t
  TileLine line;           ///< F
};

}  // namespace wrsgpu
