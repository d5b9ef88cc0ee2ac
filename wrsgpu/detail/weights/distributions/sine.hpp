// One period of a sine.
#pragma once

#include <cmath>
#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = 2 + sin(2 pi (i + 1/2) / N): the first half of the items is heavy, the second light.
struct Sine {
  double n;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "sine",
            .examples = {"sine"},
            .source = "thesis 4.9, shapes that are easy to recognise",
            .summary = "one period of a sine between 1 and 3",
            .device_difference = 4 * std::numeric_limits<double>::epsilon()};
  }
  [[nodiscard]] static std::optional<Sine> parse(std::string_view name, std::uint64_t n,
                                                 std::uint64_t /*seed*/) {
    return name == "sine" ? std::optional(Sine{static_cast<double>(n)}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    constexpr double pi = 3.141592653589793;
    return 2 + std::sin((2.0 * i + 1) / n * pi);
  }
};

}  // namespace wrsgpu::weights
