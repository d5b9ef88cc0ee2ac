// Double-double sums and differences.
#pragma once

#include <cmath>

namespace wrsgpu::verification::detail {

/// The unevaluated sum high + low with |low| at most half an ulp of high (Dekker; Knuth, TAOCP 2,
/// 4.2.2). About 106 bits: the error of an addition is at most 2^-104 of the result if the signs
/// agree, and of the larger operand otherwise.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  [[nodiscard]] double value() const { return high + low; }
};

/// The exact sum a + b.
[[nodiscard]] inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// The exact product a * b, barring underflow.
[[nodiscard]] inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

[[nodiscard]] inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble sum = two_sum(high.high, high.low + low.high);
  return two_sum(sum.high, sum.low + low.low);
}

[[nodiscard]] inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
  return a + DoubleDouble{-b.high, -b.low};
}

[[nodiscard]] inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble high = two_product(a.high, b);
  return two_sum(high.high, high.low + a.low * b);
}

[[nodiscard]] inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * first;
  return two_sum(first, rest.high / b.high);
}

}  // namespace wrsgpu::verification::detail
