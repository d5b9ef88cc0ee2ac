// Heavy and light items in turns.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// Of every P items the first half, rounded down, have weight 2, the others 1.
struct SquareWave {
  Index period;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "square_wave_<whole, 2 to 4294967294>",
            .examples = {"square_wave_4096"},
            .source = "adversarial case: periods that meet the tiles of the exact construction",
            .summary = "weight 2 for the first half of every P items, 1 for the others"};
  }
  [[nodiscard]] static std::optional<SquareWave> parse(std::string_view name, std::uint64_t /*n*/,
                                                       std::uint64_t /*seed*/) {
    const auto period = items_between(name, "square_wave_", "", 2);
    return period ? std::optional(SquareWave{*period}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    return i % period < period / 2 ? 2 : 1;
  }
};

}  // namespace wrsgpu::weights
