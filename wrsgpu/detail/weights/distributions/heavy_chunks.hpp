// Few neighbours that are heavy, at equal distances.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// Of every P items the first 64 have weight P/64, so that they have half of the mass; the
/// others 1.
struct HeavyChunks {
  Index period;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "heavy_chunks_<whole, 64 to 4294967294>",
            .examples = {"heavy_chunks_4096"},
            .source = "adversarial case: periods that meet the tiles of the exact construction",
            .summary = "weight P/64 for the first 64 of every P items, 1 for the others"};
  }
  [[nodiscard]] static std::optional<HeavyChunks> parse(std::string_view name, std::uint64_t /*n*/,
                                                        std::uint64_t /*seed*/) {
    const auto period = items_between(name, "heavy_chunks_", "", 64);
    return period ? std::optional(HeavyChunks{*period}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    return i % period < 64 ? period / 64.0 : 1;
  }
};

}  // namespace wrsgpu::weights
