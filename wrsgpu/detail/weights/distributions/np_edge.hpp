// The edge case of thesis 2.4.7.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_0 = 1/2, w_{N-1} = 3/2 and all others 1, the mass of a bucket: one alias would suffice, but a
/// greedy construction may give one to every item. A single item has weight 1.
struct NpEdge {
  Index last;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "np_edge",
            .examples = {"np_edge"},
            .source = "thesis 2.4.7",
            .summary = "weights 1, but 0.5 for the first and 1.5 for the last item"};
  }
  [[nodiscard]] static std::optional<NpEdge> parse(std::string_view name, std::uint64_t n,
                                                   std::uint64_t /*seed*/) {
    if (name != "np_edge") return std::nullopt;
    return NpEdge{static_cast<Index>(n - 1)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    if (last == 0) return 1;
    return i == 0 ? 0.5 : i == last ? 1.5 : 1;
  }
};

}  // namespace wrsgpu::weights
