// One item that is heavier than all others together.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = 1, but w_{floor(N/2)} = N.
struct OneHeavy {
  Index heavy;
  double weight;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "one_heavy",
            .examples = {"one_heavy"},
            .source = "extreme case: one donor for all",
            .summary = "weights 1, but N for the item in the middle"};
  }
  [[nodiscard]] static std::optional<OneHeavy> parse(std::string_view name, std::uint64_t n,
                                                     std::uint64_t /*seed*/) {
    if (name != "one_heavy") return std::nullopt;
    return OneHeavy{static_cast<Index>(n / 2), static_cast<double>(n)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return i == heavy ? weight : 1; }
};

}  // namespace wrsgpu::weights
