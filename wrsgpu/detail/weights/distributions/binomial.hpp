// The binomial distribution.
#pragma once

#include <cmath>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/stirling.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_k = B(N - 1, 1/2, k), the probability of k heads in N - 1 tosses of a fair coin. From about N
/// = 1100 on, the outermost weights underflow to zero. Computed like Loader's ("Fast and accurate
/// computation of binomial probabilities", 2000): Stirling's formula with its correction, and the
/// deviance separately, so that no large terms cancel; relative error below 10^-10.
struct Binomial {
  double throws;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "binomial",
            .examples = {"binomial"},
            .source = "thesis 1.1.1, binomial distribution",
            .summary = "probabilities of 0 to N-1 heads in N-1 throws of a fair coin",
            .device_difference = 1e-10};
  }
  [[nodiscard]] static std::optional<Binomial> parse(std::string_view name, std::uint64_t n,
                                                     std::uint64_t /*seed*/) {
    return name == "binomial" ? std::optional(Binomial{static_cast<double>(n - 1)}) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    const double heads = i;
    const double tails = throws - heads;
    if (heads == 0 || tails == 0) return std::exp2(-throws);
    const double skew = (heads - tails) / throws;
    const double deviance = heads * std::log1p(skew) + tails * std::log1p(-skew);
    const double correction = random::stirling_correction(throws) -
                              random::stirling_correction(heads) -
                              random::stirling_correction(tails);
    constexpr double two_pi = 6.283185307179586;
    return std::sqrt(throws / (two_pi * heads * tails)) * std::exp(correction - deviance);
  }
};

}  // namespace wrsgpu::weights
