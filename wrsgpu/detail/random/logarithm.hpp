// A logarithm that is the same, bit for bit, on host and device, whose libraries differ.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/rounded.hpp"

namespace wrsgpu::random {

/// -log(1 - u) for u in [0, 1/2], to a relative error below 2^-50: the series of 2 artanh(s) with
/// s = u / (2 - u) <= 1/3, cut where its terms are below 2^-55 of the sum.
[[nodiscard]] WRSGPU_HD inline double minus_log_one_minus(double u) {
  constexpr double reciprocals[16] = {1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21,
                                      1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                      1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  const double s = u / (2.0 - u);
  const double square = rounded_product(s, s);
  double sum = 0;
  for (const double reciprocal : reciprocals) {
    sum = rounded_sum(rounded_product(sum, square), reciprocal);
  }
  return rounded_product(s + s, sum);
}

}  // namespace wrsgpu::random
