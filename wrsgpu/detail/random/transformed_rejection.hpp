// What the methods of transformed rejection with squeeze have in common.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::random::detail {

/// (1 + x) log(1 + x) - x for x > -1, to full relative precision (after Loader, "Fast and accurate
/// computation of binomial probabilities", 2000).
template <class Math = LibraryMath>
[[nodiscard]] WRSGPU_HD double deviance(double x) {
  if (std::abs(x) > 0.1) return (1.0 + x) * Math::log1p(x) - x;
  // log(1 + x) = 2 artanh(v) = 2 (v + v^3 / 3 + v^5 / 5 + ...), and v^2 < 0.003
  constexpr double reciprocals[8] = {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                     1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  const double v = x / (2.0 + x);
  const double square = v * v;
  double sum = 0;
  for (const double reciprocal : reciprocals) sum = sum * square + reciprocal;
  return v * (x + 2.0 * (1.0 + x) * square * sum);
}

/// The same by floats, to a relative error of 2^-14.
[[nodiscard]] WRSGPU_HD inline float deviance_estimate(float x) {
  if (!(x > -0.1F && x < 0.1F)) return (1.0F + x) * logf(1.0F + x) - x;
  // x^2 / 2 - x^3 / 6 + ..., x^k / (k (k - 1))
  const float series =
      0.5F +
      x * (-1.0F / 6 + x * (1.0F / 12 + x * (-1.0F / 20 + x * (1.0F / 30 + x * (-1.0F / 42)))));
  return x * x * series;
}

/// The base class of such a method, which has `proposal`, `squeeze`, `possible`, `margin_estimate`,
/// `accepts_exactly` and `outcome`.
template <class Method>
class TransformedRejection {
 public:
  static constexpr float max_margin_error = 0x1p-6F;

  /// Whether v accepts the proposal j for u, which the squeeze does not accept.
  template <class Math = LibraryMath>
  [[nodiscard]] WRSGPU_HD bool accepts(double u, double v, double j) const {
    if (!method().possible(j)) return false;
    // Only where floats do not decide are logarithms of doubles needed.
    const float margin = method().margin_estimate(u, v, j);
    if (margin > max_margin_error) return true;
    if (margin < -max_margin_error) return false;
    return method().template accepts_exactly<Math>(u, v, j);
  }
  /// A deviate, from two words for each attempt.
  template <class Math, Generator G>
  [[nodiscard]] WRSGPU_HD std::uint64_t deviate(G& generator) const {
    for (;;) {
      const double u = uniform_double(generator) - 0.5;
      const double v = uniform_positive_double(generator);
      const double j = method().proposal(u);
      if (v <= method().squeeze(u) || accepts<Math>(u, v, j)) return method().outcome(j);
    }
  }

 private:
  [[nodiscard]] WRSGPU_HD const Method& method() const { return static_cast<const Method&>(*this); }
};

}  // namespace wrsgpu::random::detail
