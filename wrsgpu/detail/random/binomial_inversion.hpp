// Binomial deviates by sequential inversion.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/detail/random/sequential_inversion.hpp"

namespace wrsgpu::random {

namespace detail {

/// For n * p up to about 500, so that (1 - p)^n does not underflow.
template <class Math, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t invert_binomial(G& generator, std::uint64_t n, double p) {
  const auto trials = static_cast<double>(n);
  const double mean = trials * p;
  const double odds = p / (1.0 - p);
  const double none = Math::exp(trials * Math::log1p(-p));
  return invert(generator, none, mean, [n, odds](std::uint64_t k) {
    return odds * (static_cast<double>(n - k) / static_cast<double>(k + 1));
  });
}

}  // namespace detail

/// The number of successes in `n` trials of success probability `p`: adds up the probabilities of
/// 0, 1, 2 ... until they exceed a uniform deviate. Exact up to rounding: the error of the
/// probability of each outcome is at most about 2^-50. Any n; time O(n * min(p, 1 - p)). p is
/// clamped to [0, 1]; NaN counts as 0.
template <class Math = LibraryMath, Generator G>
[[nodiscard]] WRSGPU_HD std::uint64_t binomial_inversion(G& generator, std::uint64_t n, double p) {
  constexpr double largest_mean = 500.0;
  if (n == 0 || !(p > 0.0)) return 0;
  if (p >= 1.0) return n;
  const double rarer = p > 0.5 ? 1.0 - p : p;
  std::uint64_t rest = n;
  std::uint64_t times = 0;  // number of occurrences of the rarer outcome
  while (static_cast<double>(rest) * rarer > largest_mean) {
    const auto part = static_cast<std::uint64_t>(largest_mean / rarer);
    times += detail::invert_binomial<Math>(generator, part, rarer);
    rest -= part;
  }
  times += detail::invert_binomial<Math>(generator, rest, rarer);
  return p > 0.5 ? n - times : times;
}

}  // namespace wrsgpu::random
