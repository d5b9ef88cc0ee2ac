// The bell curve.
#pragma once

#include <cmath>
#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = exp(-x^2 / 2), the density of the normal distribution (times sqrt(2 pi)) at the midpoints
/// x of N equal parts of [-4, 4].
struct Normal {
  double n;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "normal",
            .examples = {"normal"},
            .source = "thesis 1.1.1, normal distribution",
            .summary = "density of the normal distribution over four standard deviations each way",
            .device_difference = 4 * std::numeric_limits<double>::epsilon()};
  }
  [[nodiscard]] static std::optional<Normal> parse(std::string_view name, std::uint64_t n,
                                                   std::uint64_t /*seed*/) {
    return name == "normal" ? std::optional(Normal{static_cast<double>(n)}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    const double x = (2.0 * i + 1 - n) / n * 4;
    return std::exp(x * x * -0.5);
  }
};

}  // namespace wrsgpu::weights
