// The correction of Stirling's formula.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// The error term of Stirling's formula for m!, for integers m >= 1: log(m!) - [m log(m) - m +
/// log(2 pi m) / 2]. Absolute error below 1e-14.
[[nodiscard]] WRSGPU_HD inline double stirling_correction(double m) {
  constexpr double small[10] = {0.081061466795327258, 0.041340695955409294, 0.027677925684998339,
                                0.020790672103765093, 0.016644691189821193, 0.013876128823070748,
                                0.011896709945891770, 0.010411265261972096, 0.009255462182712733,
                                0.008330563433362871};
  if (m <= 10) return small[static_cast<int>(m) - 1];
  const double x = 1.0 / m;
  const double y = x * x;
  return x * (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188))));
}

}  // namespace wrsgpu::random
