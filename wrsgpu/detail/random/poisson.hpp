// Exact Poisson deviates: by sequential inversion, or by transformed rejection with squeeze,
// algorithm PTRS of Hörmann, "The transformed rejection method for generating Poisson random
// variables", Insurance: Mathematics and Economics 12, 1993.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/detail/random/sequential_inversion.hpp"
#include "wrsgpu/detail/random/stirling.hpp"
#include "wrsgpu/detail/random/transformed_rejection.hpp"

namespace wrsgpu::random {

/// The constants of PTRS for a mean from 10 to 2^63, and its functions. Outcomes are represented as
/// floor(mean) + j, because neither they nor the mean fit in a double beyond 2^53.
///
/// For means up to 1,100 the published hat is up to 0.56% too low for some outcomes, and the
/// squeeze up to 0.6% too high. The one is raised here, the other lowered
/// (`tests/test_random_poisson.cpp`).
class Ptrs : public detail::TransformedRejection<Ptrs> {
 public:
  static constexpr double min_mean = 10.0;

  WRSGPU_HD explicit Ptrs(double mean)
      : mean_(mean), whole_(std::floor(mean)), b_(0.931 + 2.53 * std::sqrt(mean)) {
    a_ = -0.059 + 0.02483 * b_;
  }

  /// The proposal for u in [-1/2, 1/2]: an integer j, or an infinity.
  [[nodiscard]] WRSGPU_HD double proposal(double u) const {
    return std::floor((2.0 * a_ / (0.5 - std::abs(u)) + b_) * u + (mean_ - whole_ + 0.43));
  }
  /// The upper bound of v for which the proposal is accepted without evaluating its probability; 0
  /// if there is none.
  [[nodiscard]] WRSGPU_HD double squeeze(double u) const {
    return 0.5 - std::abs(u) >= 0.07 ? 0.985 * (0.9277 - 3.6224 / (b_ - 2.0)) : 0.0;
  }
  /// The proposal is accepted for v in (0, 1] when v * hat(u) <= P(floor(mean) + j).
  [[nodiscard]] WRSGPU_HD double hat(double u) const {
    const double us = 0.5 - std::abs(u);
    return 1.006 * (1.1239 + 1.1328 / (b_ - 3.4)) / (a_ / (us * us) + b_);
  }
  [[nodiscard]] WRSGPU_HD bool possible(double j) const {
    return j >= -whole_ && j < 0x1p62;  // false for NaN
  }
  /// log(P(floor(mean) + j)) for a possible j.
  template <class Math = LibraryMath>
  [[nodiscard]] WRSGPU_HD double log_probability(double j) const {
    constexpr double two_pi = 6.28318530717958647692528676656;
    const double k = whole_ + j;
    if (k == 0.0) return -mean_;
    const double x = (j - (mean_ - whole_)) / mean_;
    return -mean_ * detail::deviance<Math>(x) - 0.5 * Math::log(two_pi * k) -
           stirling_correction(k);
  }
  /// `accepts` by the logarithms of doubles alone, for a possible j. Rarely called, so not inlined.
  template <class Math = LibraryMath>
  [[nodiscard, gnu::noinline]] WRSGPU_HD bool accepts_exactly(double u, double v, double j) const {
    return Math::log(v * hat(u)) <= log_probability<Math>(j);
  }
  /// log_probability(j) - log(v * hat(u)) for a possible j, to an error below `max_margin_error`
  /// where the first logarithm is above -60; NaN or infinite for the outcome 0.
  [[nodiscard]] WRSGPU_HD float margin_estimate(double u, double v, double j) const {
    const auto us = static_cast<float>(0.5 - std::abs(u));
    const auto b = static_cast<float>(b_);
    const auto mean = static_cast<float>(mean_);
    const auto k = static_cast<float>(whole_ + j);
    const auto x = static_cast<float>((j - (mean_ - whole_)) / mean_);
    const float hat_of_v = static_cast<float>(v) * 1.006F * (1.1239F + 1.1328F / (b - 3.4F)) /
                           (static_cast<float>(a_) / (us * us) + b);
    return -mean * detail::deviance_estimate(x) - 1.0F / (12.0F * k) -
           logf(std::fmax(hat_of_v, 1e-37F) * std::sqrt(6.2831853F * k));
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t outcome(double j) const {
    return static_cast<std::uint64_t>(whole_) +
           static_cast<std::uint64_t>(static_cast<std::int64_t>(j));
  }

 private:
  double mean_;
  double whole_;  // its floor
  double a_;
  double b_;
};

/// By adding up the probabilities of 0, 1, 2 ... until they exceed a uniform deviate, for means
/// from 0 to 500. Exact up to rounding, as `binomial_inversion`; time O(mean).
template <class Math = LibraryMath, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t poisson_inversion(G& generator, double mean) {
  return detail::invert(generator, Math::exp(-mean), mean,
                        [mean](std::uint64_t k) { return mean / static_cast<double>(k + 1); });
}

/// A Poisson deviate: by inversion for a mean below 10, otherwise by PTRS. Means up to 2^63; 0 for
/// a mean that is not positive. Exact up to rounding, as `binomial_btrs` is; host and device give
/// the same with `PortableMath`.
template <class Math = LibraryMath, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t poisson(G& generator, double mean) {
  if (!(mean > 0.0)) return 0;
  if (mean < Ptrs::min_mean) return poisson_inversion<Math>(generator, mean);
  return Ptrs(mean).deviate<Math>(generator);
}

}  // namespace wrsgpu::random
