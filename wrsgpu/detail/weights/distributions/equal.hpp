// The weights of uniform sampling.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = 1.
struct Equal {
  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "equal",
            .examples = {"equal"},
            .source = "thesis 1.1.1, uniform distribution",
            .summary = "every weight is 1"};
  }
  [[nodiscard]] static std::optional<Equal> parse(std::string_view name, std::uint64_t /*n*/,
                                                  std::uint64_t /*seed*/) {
    return name == "equal" ? std::optional(Equal{}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index /*i*/) const { return 1; }
};

}  // namespace wrsgpu::weights
