// One item that is lighter than the others.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = 1, but w_{floor(N/2)} = 1/2: all other items are heavy, by very little.
struct OneLight {
  Index light;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "one_light",
            .examples = {"one_light"},
            .source = "extreme case: one light item for all",
            .summary = "weights 1, but 0.5 for the item in the middle"};
  }
  [[nodiscard]] static std::optional<OneLight> parse(std::string_view name, std::uint64_t n,
                                                     std::uint64_t /*seed*/) {
    if (name != "one_light") return std::nullopt;
    return OneLight{static_cast<Index>(n / 2)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return i == light ? 0.5 : 1; }
};

}  // namespace wrsgpu::weights
