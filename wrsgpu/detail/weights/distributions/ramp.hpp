// Linearly rising weights.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = i + 1.
struct Ramp {
  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "ramp",
            .examples = {"ramp"},
            .source = "thesis 4.9, shapes that are easy to recognise",
            .summary = "linear rise from 1 to N"};
  }
  [[nodiscard]] static std::optional<Ramp> parse(std::string_view name, std::uint64_t /*n*/,
                                                 std::uint64_t /*seed*/) {
    return name == "ramp" ? std::optional(Ramp{}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return i + Index{1}; }
};

}  // namespace wrsgpu::weights
