// Binomial deviates by transformed rejection with squeeze: algorithm BTRS of Hörmann, "The
// generation of binomial random variates", Journal of Statistical Computation and Simulation 46,
// 1993.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/detail/random/stirling.hpp"
#include "wrsgpu/detail/random/transformed_rejection.hpp"

namespace wrsgpu::random {

namespace detail {

/// The constants of BTRS for one (n, p), 0 < p <= 1/2 and n p >= 10, and its functions. Quantities
/// that only some proposals need are computed on demand.
///
/// Outcomes are represented as mode + j, and everything is a function of j: for n beyond 2^53
/// neither k nor n p fits in a double, and log-factorials would cancel long before.
class Btrs : public TransformedRejection<Btrs> {
 public:
  WRSGPU_HD Btrs(std::uint64_t n, double p) : p_(p) {
    // n p as an integer and a fraction, each rounded once: n has up to 64 bits.
    const double n_high = static_cast<double>(n >> 32) * 0x1p32;
    const auto n_low = static_cast<double>(n & 0xFFFF'FFFFU);
    const double whole_high = std::floor(n_high * p);
    const double whole_low = std::floor(n_low * p);
    const double rest = std::fma(n_high, p, -whole_high) + std::fma(n_low, p, -whole_low);
    const double carry = std::floor(rest + p);
    mode_ = static_cast<std::uint64_t>(whole_high) + static_cast<std::uint64_t>(whole_low) +
            static_cast<std::uint64_t>(static_cast<std::int64_t>(carry));  // floor((n + 1) p)
    mean_offset_ = rest - carry;
    others_ = n - mode_;

    deviation_ = std::sqrt(static_cast<double>(n) * p * (1.0 - p));
    b_ = 1.15 + 2.53 * deviation_;
    a_ = -0.0873 + 0.0248 * b_ + 0.01 * p;
    squeeze_ = 0.92 - 4.2 / b_;
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t mode() const { return mode_; }

  /// The proposal for u in [-1/2, 1/2]: an integer j, or an infinity.
  [[nodiscard]] WRSGPU_HD double proposal(double u) const {
    return std::floor((2.0 * a_ / (0.5 - std::abs(u)) + b_) * u + (mean_offset_ + 0.5));
  }
  /// The upper bound of v for which the proposal is accepted without evaluating its probability; 0
  /// if there is none.
  [[nodiscard]] WRSGPU_HD double squeeze(double u) const {
    return 0.5 - std::abs(u) >= 0.07 ? squeeze_ : 0.0;
  }
  /// The proposal is accepted for v in (0, 1] when v * hat(u) <= P(mode + j) / P(mode).
  [[nodiscard]] WRSGPU_HD double hat(double u) const {
    const double us = 0.5 - std::abs(u);
    const double alpha = (2.83 + 5.1 / b_) * deviation_;
    return alpha / (a_ / (us * us) + b_);
  }
  /// Whether mode + j is a possible outcome.
  [[nodiscard]] WRSGPU_HD bool possible(double j) const {
    if (!(std::abs(j) < 0x1p62)) return false;  // 2^30 standard deviations at the very least
    const auto distance = static_cast<std::uint64_t>(std::abs(j));
    return distance <= (j < 0.0 ? mode_ : others_);
  }
  /// log(P(mode + j) / P(mode)) for a possible j. Six of seven proposals need none of its
  /// logarithms.
  template <class Math = LibraryMath>
  [[nodiscard]] WRSGPU_HD double log_ratio(double j) const {
    const std::uint64_t k = outcome(j);
    const double successes = static_cast<double>(mode_) + 1.0;
    const double failures = static_cast<double>(others_) + 1.0;
    // p (n - mode + 1) / (q (mode + 1)) is 1 + this quotient, whose numerator does not cancel.
    const double slope_less_one = (mean_offset_ + 2.0 * p_ - 1.0) / ((1.0 - p_) * successes);
    const double x = j / successes;
    const double y = -j / failures;
    return j * Math::log1p(slope_less_one) - successes * deviance<Math>(x) -
           failures * deviance<Math>(y) + 0.5 * (Math::log1p(x) + Math::log1p(y)) +
           (stirling_correction(successes) + stirling_correction(failures)) -
           stirling_correction(static_cast<double>(k) + 1.0) -
           stirling_correction(static_cast<double>(mode_ + others_ - k) + 1.0);
  }
  /// `accepts` by the logarithms of doubles alone, for a possible j. Rarely called, so not inlined.
  template <class Math = LibraryMath>
  [[nodiscard, gnu::noinline]] WRSGPU_HD bool accepts_exactly(double u, double v, double j) const {
    // Far out in the tail the ratio may be NaN, which rejects like the 0 that it stands for.
    return Math::log(v * hat(u)) <= log_ratio<Math>(j);
  }
  /// log_ratio(j) - log(v * hat(u)) for a possible j, to an error below `max_margin_error`, where
  /// the second logarithm is above -50. The sum is of few terms, none of which is much greater; the
  /// corrections of Stirling's formula are 1 / (12 m) up to 0.0023.
  [[nodiscard]] WRSGPU_HD float margin_estimate(double u, double v, double j) const {
    const double us = 0.5 - std::abs(u);
    const auto narrow = static_cast<float>(us);
    const auto b = static_cast<float>(b_);
    const float alpha = (2.83F + 5.1F / b) * static_cast<float>(deviation_);
    const float log_hat =
        logf(static_cast<float>(v) * alpha / (static_cast<float>(a_) / (narrow * narrow) + b));
    const float successes = static_cast<float>(mode_) + 1.0F;
    const float failures = static_cast<float>(others_) + 1.0F;
    const auto distance = static_cast<float>(j);
    const float x = distance / successes;
    const float y = -distance / failures;
    const float slope = (static_cast<float>(mean_offset_) + 2.0F * static_cast<float>(p_) - 1.0F) /
                        ((1.0F - static_cast<float>(p_)) * successes);
    // x + 1 and y + 1 are the other two numbers as parts of these.
    const float corrections = 1.0F / successes - 1.0F / ((1.0F + x) * successes) +
                              (1.0F / failures - 1.0F / ((1.0F + y) * failures));
    const float log_ratio = distance * log1pf(slope) - successes * deviance_estimate(x) -
                            failures * deviance_estimate(y) + 0.5F * logf((1.0F + x) * (1.0F + y)) +
                            corrections * (1.0F / 12);
    return log_ratio - log_hat;
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t outcome(double j) const {
    return mode_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(j));
  }

 private:
  double p_;
  std::uint64_t mode_;
  std::uint64_t others_;  // n - mode
  double mean_offset_;    // n p - mode
  double a_;
  double deviation_;
  double b_;
  double squeeze_;
};

/// `binomial_btrs` for 0 < p <= 1/2.
template <class Math, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t btrs_deviate(G& generator, std::uint64_t n, double p) {
  return Btrs(n, p).deviate<Math>(generator);
}

}  // namespace detail

/// The number of successes in `n` trials of success probability `p`, for n * min(p, 1 - p) >= 10,
/// as the constants of the method require (`binomial` selects). Constant time: 1.13 pairs of 64-bit
/// words on average for large n, up to 1.41 for small n.
///
/// Exact up to rounding. The probabilities are accurate to 1e-12 for every n. The deviates have 53
/// bits, which for large n is not many more than there are outcomes: with the standard deviation s,
/// the relative error of the probability of a single outcome is below 2^-51 s near the mean and
/// below 2^-43 s at eight s (2e-8 and 6e-6 for n = 2^53, 7e-7 and 2e-4 for n = 2^63); that of a
/// range of outcomes is smaller by the length of the range. Any n. p is clamped to [0, 1]; NaN
/// counts as 0. Host and device round logarithms differently, which for n up to 10^9 changes at
/// most one result in 10^9, unless `Math` is `PortableMath`.
template <class Math = LibraryMath, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t binomial_btrs(G& generator, std::uint64_t n, double p) {
  if (n == 0 || !(p > 0.0)) return 0;
  if (p >= 1.0) return n;
  // Not recursive, because the compiler for the GPU could not determine the stack size.
  return p > 0.5 ? n - detail::btrs_deviate<Math>(generator, n, 1.0 - p)
                 : detail::btrs_deviate<Math>(generator, n, p);
}

}  // namespace wrsgpu::random
