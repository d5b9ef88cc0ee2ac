// A chosen fraction of heavy items (thesis 5.2.4, Figure 5.4).
#pragma once

#include <cmath>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// Weight 2 for the first `heavy` items, 1 for the others; `heavy` is percent * N / 100, rounded.
struct LeadingHeavyFraction {
  std::uint64_t heavy;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "heavy_fraction_<0 to 100>_leading",
            .examples = {"heavy_fraction_10_leading", "heavy_fraction_50_leading"},
            .source = "thesis 5.2.4, Figure 5.4",
            .summary = "weight 2 for that percentage of the items, the first ones, 1 for the rest"};
  }
  [[nodiscard]] static std::optional<LeadingHeavyFraction> parse(std::string_view name,
                                                                 std::uint64_t n,
                                                                 std::uint64_t /*seed*/) {
    return of_percentage(number_between(name, "heavy_fraction_", "_leading"), n);
  }
  [[nodiscard]] static std::optional<LeadingHeavyFraction> of_percentage(
      std::optional<double> percent, std::uint64_t n) {
    if (!percent || *percent > 100) return std::nullopt;
    const double heavy = std::floor(static_cast<double>(n) * *percent / 100 + 0.5);
    return LeadingHeavyFraction{static_cast<std::uint64_t>(heavy)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return i < heavy ? 2 : 1; }
};

/// The weights of `LeadingHeavyFraction`, permuted at random by `seed`.
struct RandomHeavyFraction {
  LeadingHeavyFraction ranked;
  shuffle::Permutation permutation;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "heavy_fraction_<0 to 100>[_random]",
            .examples = {"heavy_fraction_1_random", "heavy_fraction_50_random"},
            .source = "thesis 5.2.4, Figure 5.4",
            .summary = "weight 2 for that percentage of the items, at random, 1 for the rest",
            .is_random = true};
  }
  [[nodiscard]] static std::optional<RandomHeavyFraction> parse(std::string_view name,
                                                                std::uint64_t n,
                                                                std::uint64_t seed) {
    auto percent = number_between(name, "heavy_fraction_", "_random");
    if (!percent) percent = number_between(name, "heavy_fraction_", "");
    const auto ranked = LeadingHeavyFraction::of_percentage(percent, n);
    if (!ranked) return std::nullopt;
    return RandomHeavyFraction{*ranked, shuffle::Permutation(n, seed)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return ranked(permutation(i)); }
};

}  // namespace wrsgpu::weights
