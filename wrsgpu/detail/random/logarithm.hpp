// Logarithms and an exponential function that are the same, bit for bit, on host and device, whose
// libraries differ.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/rounded.hpp"

namespace wrsgpu::random {

/// 2 artanh(s) = log((1 + s) / (1 - s)) for |s| <= 1/3, to a relative error below 2^-50: its
/// series, cut where its terms are below 2^-55 of the sum.
[[nodiscard]] WRSGPU_HD inline double twice_artanh(double s) {
  constexpr double reciprocals[16] = {1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21,
                                      1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                      1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  const double square = rounded_product(s, s);
  double sum = 0;
  for (const double reciprocal : reciprocals) {
    sum = rounded_sum(rounded_product(sum, square), reciprocal);
  }
  return rounded_product(s + s, sum);
}

/// -log(1 - u) for u in [0, 1/2], to a relative error below 2^-50.
[[nodiscard]] WRSGPU_HD inline double minus_log_one_minus(double u) {
  return twice_artanh(u / (2.0 - u));
}

inline constexpr double log_2 = 0.693147180559945309417232121458;

/// The functions of the standard library, for code that takes either.
struct LibraryMath {
  [[nodiscard]] static WRSGPU_HD double log(double x) { return std::log(x); }
  [[nodiscard]] static WRSGPU_HD double log1p(double x) { return std::log1p(x); }
  [[nodiscard]] static WRSGPU_HD double exp(double x) { return std::exp(x); }
};

/// The same functions from IEEE operations: equal on host and device, if the calling code is
/// compiled without fused multiply-adds (`--fmad=false`).
struct PortableMath {
  /// For normal x > 0. Absolute error below 2^-51 + 2^-51 |log(x)|.
  [[nodiscard]] static WRSGPU_HD double log(double x) {
    // x = m * 2^e with m in [2/3, 4/3).
    constexpr std::uint64_t two_thirds = 0x3FE5'5555'5555'5555;
    const std::uint64_t bits = double_bits(x);
    const std::uint64_t exponent = (bits - two_thirds) & ~((std::uint64_t{1} << 52) - 1);
    const double m = double_of_bits(bits - exponent);
    const auto e = static_cast<double>(static_cast<std::int64_t>(exponent) >> 52);
    return rounded_sum(rounded_product(e, log_2), twice_artanh((m - 1.0) / (m + 1.0)));
  }
  /// For x > -1. Absolute error as `log`, and a relative error below 2^-50 for |x| <= 1/3.
  [[nodiscard]] static WRSGPU_HD double log1p(double x) {
    return x > -1.0 / 3 && x < 1.0 / 3 ? twice_artanh(x / (2.0 + x)) : log(1.0 + x);
  }
  /// For x from -700 to 0. Relative error below 2^-50 (1 + |x|).
  [[nodiscard]] static WRSGPU_HD double exp(double x) {
    const double k = std::floor(rounded_sum(rounded_product(x, 1.0 / log_2), 0.5));
    constexpr double log_2_high = 0x1.62e42fee00000p-1;  // products with k are exact
    constexpr double log_2_low = 0x1.a39ef35793c76p-33;
    const double r = rounded_sum(rounded_sum(x, -rounded_product(k, log_2_high)),
                                 -rounded_product(k, log_2_low));
    constexpr double reciprocals[14] = {1.0 / 14, 1.0 / 13, 1.0 / 12, 1.0 / 11, 1.0 / 10,
                                        1.0 / 9,  1.0 / 8,  1.0 / 7,  1.0 / 6,  1.0 / 5,
                                        1.0 / 4,  1.0 / 3,  1.0 / 2,  1.0};
    double sum = 1;  // the Taylor series for |r| <= log(2) / 2
    for (const double reciprocal : reciprocals) {
      sum = rounded_sum(1.0, rounded_product(rounded_product(sum, r), reciprocal));
    }
    return rounded_product(sum, double_of_bits(static_cast<std::uint64_t>(k + 1023) << 52));
  }
};

}  // namespace wrsgpu::random
