// Binomial deviates against Boost.Math. The statistical tests have a false-alarm rate of 1e-6 for
// the whole program, over the choice of seeds (which are fixed).
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sampling/generators/mersenne_twister.hpp"
#include "sampling/generators/xorwow.hpp"
#include "scripted_generator.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/binomial_normal_approximation.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/stirling.hpp"

namespace wrsgpu::random {
namespace {

constexpr double level = verification::FalseAlarmBudget(1e-6, 250).level();
// Minimum expected count of a cell, for the chi-squared distribution to hold that far in the tail.
constexpr double min_expected = 100;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

struct Trials {
  std::uint64_t n;
  double p;
  [[nodiscard]] double mean() const { return static_cast<double>(n) * p; }
  [[nodiscard]] double smaller_mean() const { return static_cast<double>(n) * std::min(p, 1 - p); }
  [[nodiscard]] double deviation() const { return std::sqrt(mean() * (1 - p)); }
};

std::ostream& operator<<(std::ostream& out, const Trials& trials) {
  return out << "n = " << trials.n << ", p = " << trials.p;
}

/// P(X <= k).
double cdf(const Trials& trials, std::uint64_t k) {
  return boost::math::cdf(boost::math::binomial(static_cast<double>(trials.n), trials.p),
                          static_cast<double>(k));
}

/// Last outcomes of consecutive classes: single outcomes within 12 standard deviations of the mean
/// if they are few, else fifths of a standard deviation.
std::vector<std::uint64_t> classes(const Trials& trials) {
  const double step = std::max(1.0, std::floor(trials.deviation() / 5));
  const double reach = 12 * trials.deviation() + 12;
  const double end = std::min(static_cast<double>(trials.n), trials.mean() + reach);
  std::vector<std::uint64_t> last;
  for (double k = std::max(0.0, std::floor(trials.mean() - reach)); k < end; k += step) {
    last.push_back(static_cast<std::uint64_t>(k));
  }
  last.push_back(trials.n);
  return last;
}

/// p-value of `samples` results of `draw` under the binomial distribution.
template <class Draw>
double p_value(const Trials& trials, std::uint64_t samples, Draw&& draw) {
  const std::vector<std::uint64_t> last = classes(trials);
  std::vector<double> probabilities;
  double below = 0;
  for (const std::uint64_t k : last) {
    const double cumulative = cdf(trials, k);
    probabilities.push_back(cumulative - below);
    below = cumulative;
  }
  verification::Counts counts(last.size(), 0);
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto bin = std::ranges::lower_bound(last, draw()) - last.begin();
    ++counts.at(static_cast<std::size_t>(bin));  // throws for more than n
  }
  const auto report = verification::chi_squared(counts, probabilities, min_expected);
  EXPECT_TRUE(report.degrees_of_freedom >= 1 || report.p_value == 0) << trials << ": one cell";
  return report.p_value;
}

PhiloxEngine<10> engine(std::uint64_t seed) { return PhiloxEngine<10>(RandomState{seed, 0}); }

constexpr std::uint64_t samples = 200'000;

/// A grid of n and p, without the points where nearly all samples are one outcome.
std::vector<Trials> grid() {
  std::vector<Trials> result;
  for (const std::uint64_t n :
       {1ULL, 2ULL, 3ULL, 10ULL, 19ULL, 20ULL, 21ULL, 40ULL, 100ULL, 1000ULL, 1'000'000ULL,
        1'000'000'000ULL, (1ULL << 32) - 1, 1ULL << 40}) {
    for (const double p : {1e-6, 0.001, 0.01, 0.1, 0.25, 1.0 / 3, 0.5, 0.6, 0.75, 0.99, 0.999}) {
      const Trials trials{n, p};
      if (trials.smaller_mean() > 0.005) result.push_back(trials);
    }
  }
  return result;
}

TEST(Binomial, HasTheDistribution) {
  const std::vector<Trials> cells = grid();
  ASSERT_LE(cells.size(), 140U);
  ASSERT_GE(cells.size(), 120U);
  for (const Trials& trials : cells) {
    auto generator = engine(trials.n);
    EXPECT_GT(p_value(trials, samples, [&] { return binomial(generator, trials.n, trials.p); }),
              level)
        << trials;
  }
}

TEST(BinomialInversion, HasTheDistributionBeyondTheSwitch) {
  for (const Trials& trials : {Trials{20, 0.5}, Trials{40, 0.75}, Trials{100, 0.5},
                               Trials{1000, 0.1}, Trials{1003, 0.5}, Trials{2500, 0.6}}) {
    auto generator = engine(1);
    EXPECT_GT(
        p_value(trials, 50'000, [&] { return binomial_inversion(generator, trials.n, trials.p); }),
        level)
        << trials;
  }
}

TEST(BinomialBtrs, HasTheDistributionFromTheSwitchOn) {
  for (const Trials& trials :
       {Trials{20, 0.5}, Trials{21, 0.5}, Trials{100, 0.1}, Trials{100, 0.9}, Trials{1000, 0.01},
        Trials{1'000'000'000'000, 1e-11}, Trials{1'000'000'000'000, 3e-11}}) {
    auto generator = engine(2);
    EXPECT_GT(
        p_value(trials, 1'000'000, [&] { return binomial_btrs(generator, trials.n, trials.p); }),
        level)
        << trials;
  }
}

// For these n, Boost's tail probabilities are not available in double precision; the distribution
// is normal to within 1e-7, or Poisson to within 1e-15.
TEST(Binomial, HasTheDistributionForHugeN) {
  constexpr std::uint64_t draws = 200'000;
  for (const Trials& trials :
       {Trials{std::uint64_t{1} << 53, 0.5}, Trials{std::uint64_t{1} << 53, 0.3},
        Trials{(std::uint64_t{1} << 63) - 1, 0.5}, Trials{std::uint64_t{1} << 63, 0.7},
        Trials{all_ones, 0.5}, Trials{all_ones, 0.001}, Trials{all_ones, 0.999}}) {
    auto generator = engine(3);
    // Counting from an integer below the mean avoids rounding in its computation.
    const auto reference =
        static_cast<std::uint64_t>(static_cast<long double>(trials.n) * trials.p);
    const auto rest = static_cast<double>(static_cast<long double>(trials.n) * trials.p -
                                          static_cast<long double>(reference));
    std::vector<std::uint64_t> counts(64, 0);
    for (std::uint64_t i = 0; i < draws; ++i) {
      const auto distance =
          static_cast<std::int64_t>(binomial(generator, trials.n, trials.p) - reference);
      const double z = (static_cast<double>(distance) - rest) / trials.deviation();
      ++counts.at(
          std::min<std::size_t>(63, static_cast<std::size_t>(32 * std::erfc(-z / std::sqrt(2.0)))));
    }
    const auto report = verification::chi_squared(counts, std::vector<double>(64, 1.0 / 64));
    EXPECT_GT(report.p_value, level) << trials;
  }
}

TEST(Binomial, RareEventsAmongHugeNAreThePoissonDistributions) {
  for (const double mean : {0.5, 4.0, 9.0, 11.0}) {
    const std::uint64_t n = std::uint64_t{1} << 63;
    auto generator = engine(4);
    // B(2^40, mean / 2^40) differs from B(2^63, mean / 2^63) by less than 1e-10.
    const Trials close{std::uint64_t{1} << 40, mean * 0x1p-40};
    EXPECT_GT(p_value(close, samples, [&] { return binomial(generator, n, mean * 0x1p-63); }),
              level)
        << mean;
  }
}

TEST(Binomial, RunsOnEveryGenerator) {
  for (const Trials& trials : {Trials{30, 0.2}, Trials{1000, 0.4}}) {
    const auto draws_well = [&](auto generator) {
      EXPECT_GT(p_value(trials, samples, [&] { return binomial(generator, trials.n, trials.p); }),
                level)
          << trials;
    };
    draws_well(PhiloxEngine<7>(RandomState{5, 0}));
    draws_well(XorwowEngine(5));
    draws_well(mersenne_twister(5));
  }
}

TEST(Binomial, ChoosesByTheSmallerMean) {
  const auto agree = [](const Trials& trials, auto&& method) {
    auto chosen = engine(13);
    auto expected = engine(13);
    int same = 0;
    for (int i = 0; i < 100; ++i) {
      same += binomial(chosen, trials.n, trials.p) == method(expected, trials.n, trials.p) ? 1 : 0;
    }
    return same == 100 && chosen == expected;
  };
  const auto inversion = [](auto& g, std::uint64_t n, double p) {
    return binomial_inversion(g, n, p);
  };
  const auto btrs = [](auto& g, std::uint64_t n, double p) { return binomial_btrs(g, n, p); };
  for (const Trials& few : {Trials{19, 0.5}, Trials{999, 0.01}, Trials{39, 0.75}}) {
    EXPECT_TRUE(agree(few, inversion)) << few;
    EXPECT_FALSE(agree(few, btrs)) << few;
  }
  for (const Trials& many : {Trials{20, 0.5}, Trials{1001, 0.01}, Trials{40, 0.75}}) {
    EXPECT_TRUE(agree(many, btrs)) << many;
    EXPECT_FALSE(agree(many, inversion)) << many;
  }
}

TEST(Binomial, Edges) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  auto generator = engine(6);
  const auto expect_all = [&](std::uint64_t n, double p, std::uint64_t expected) {
    EXPECT_EQ(binomial(generator, n, p), expected) << Trials{n, p};
    EXPECT_EQ(binomial_inversion(generator, n, p), expected) << Trials{n, p};
    EXPECT_EQ(binomial_btrs(generator, n, p), expected) << Trials{n, p};
    EXPECT_EQ(binomial_normal_approximation(generator, n, p), expected) << Trials{n, p};
  };
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 53,
                                (std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 63, all_ones}) {
    for (const double p : {0.0, -0.0, -1.0, nan}) expect_all(n, p, 0);
    for (const double p : {1.0, 2.0, std::numeric_limits<double>::infinity()}) expect_all(n, p, n);
    EXPECT_EQ(binomial(generator, n, tiny), 0U);
  }
  for (const double p : {0.25, 0.5, 0.75}) expect_all(0, p, 0);
  for (int i = 0; i < 100; ++i) {
    for (const double p : {1e-300, 0.1, 0.5, 0.9, 1 - 0x1p-53}) {
      EXPECT_LE(binomial(generator, 1, p), 1U);
      EXPECT_LE(binomial_normal_approximation(generator, 3, p), 3U);
    }
  }
}

// The smallest k with P(X <= k) > u, for a grid of u.
TEST(BinomialInversion, InvertsTheDistributionFunction) {
  for (const Trials& trials : {Trials{1, 0.5}, Trials{2, 1.0 / 3}, Trials{3, 0.5}, Trials{10, 0.1},
                               Trials{19, 0.5}, Trials{1000, 0.009}, Trials{900, 0.5}}) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t word = (i << 54) | (std::uint64_t{1} << 53);
      const double u = unit_double(word);
      ScriptedGenerator<std::uint64_t> generator{word};
      const std::uint64_t k = binomial_inversion(generator, trials.n, trials.p);
      ASSERT_EQ(generator.drawn(), 1U);
      ASSERT_LE(k, trials.n);
      EXPECT_GT(cdf(trials, k), u - 1e-12) << trials << ", u = " << u;
      if (k > 0) {
        EXPECT_LE(cdf(trials, k - 1), u + 1e-12) << trials << ", u = " << u;
      }
    }
  }
}

// For a mean of 500 or more, the trials are split into parts with one word each.
TEST(BinomialInversion, PartsAddUp) {
  using Words = ScriptedGenerator<std::uint64_t>;
  for (const std::uint64_t word : {std::uint64_t{1} << 60, std::uint64_t{3} << 62}) {
    Words whole{word};
    const std::uint64_t k = binomial_inversion(whole, 1000, 0.5);
    ASSERT_EQ(whole.drawn(), 1U);
    for (const std::uint64_t success : {std::uint64_t{0}, std::uint64_t{1}}) {
      Words parts{word, success << 63};  // the one remaining trial
      EXPECT_EQ(binomial_inversion(parts, 1001, 0.5), k + success);
      EXPECT_EQ(parts.drawn(), 2U);
    }
    Words parts{word, word, word};
    EXPECT_EQ(binomial_inversion(parts, 3000, 0.5), 3 * k);
  }
}

TEST(BinomialInversion, EndsForTheLargestWord) {
  for (const Trials& trials : {Trials{1, 1e-9}, Trials{3, 1.0 / 3}, Trials{7, 0.1},
                               Trials{900, 0.5}, Trials{all_ones, 0x1p-62}}) {
    ScriptedGenerator<std::uint64_t> generator{all_ones};
    EXPECT_LE(binomial_inversion(generator, trials.n, trials.p), trials.n) << trials;
  }
}

TEST(BinomialBtrs, EndsForExtremeWords) {
  for (const Trials& trials : {Trials{20, 0.5}, Trials{1'000'000, 0.1}, Trials{all_ones, 0.5}}) {
    // u = -1/2 proposes minus infinity; the largest word proposes a value far beyond n.
    ScriptedGenerator<std::uint64_t> generator{0, 0, all_ones, 0, 0, all_ones};
    const std::uint64_t k = binomial_btrs(generator, trials.n, trials.p);
    EXPECT_GE(generator.drawn(), 8U);
    EXPECT_NEAR(static_cast<double>(k), trials.mean(), 10 * trials.deviation()) << trials;
  }
}

/// (n, p) with n p >= 10 and p <= 1/2, up to the limits of both.
std::vector<Trials> btrs_cells() {
  std::vector<Trials> result;
  for (const double n :
       {20.0, 21.0, 33.0, 100.0, 1001.0, 1e5, 1e7, 1e9, 0x1p32, 1e12, 0x1p53, 0x1.8p60, 0x1p63}) {
    for (const double p :
         {0.5, 0.499, 0.4, 1.0 / 3, 0.25, 0.1, 0.01, 1e-6, 10.5 / n, 30.0 / n, 1e4 / n}) {
      if (p <= 0.5 && n * p >= 10) result.push_back({static_cast<std::uint64_t>(n), p});
    }
  }
  return result;
}

// A rejection method is exact if its hat is nowhere below the probabilities and its squeeze nowhere
// above them. Examines 20,000 u for each (n, p), more densely near the ends.
TEST(BinomialBtrs, HatIsAboveAndSqueezeBelow) {
  for (const Trials& trials : btrs_cells()) {
    const detail::Btrs btrs(trials.n, trials.p);
    int inside = 0;
    for (int i = 1; i < 10'000; ++i) {
      const double x = i / 10'000.0;
      for (const double u : {0.5 - 0.5 * x * x, 0.5 * x * x - 0.5}) {
        const double j = btrs.proposal(u);
        if (!btrs.possible(j)) continue;
        const double ratio = std::exp(btrs.log_ratio(j));
        ASSERT_LE(ratio, btrs.hat(u) * (1 + 1e-12)) << trials << ", u = " << u;
        if (btrs.squeeze(u) > 0) ++inside;
        ASSERT_LE(btrs.squeeze(u) * btrs.hat(u), ratio * (1 + 1e-12)) << trials << ", u = " << u;
      }
    }
    EXPECT_GT(inside, 10'000) << trials;
  }
}

using Precise = boost::multiprecision::cpp_bin_float_100;

Precise log_probability(std::uint64_t n, double p, std::uint64_t k) {
  const Precise x = k;
  const Precise y = n - k;
  return boost::math::lgamma(Precise(n) + 1) - boost::math::lgamma(x + 1) -
         boost::math::lgamma(y + 1) + x * log(Precise(p)) + y * log(1 - Precise(p));
}

// Floats decide only where they are right.
TEST(BinomialBtrs, FloatsDecideAsDoubles) {
  for (const double mean : {10.0, 11.5, 30.0, 100.0, 1e4, 1e9, 1e15, 4e18}) {
    for (const double p : {1e-9, 1e-3, 0.1, 0.4, 0.5}) {
      if (mean / p > 1e19) continue;
      const detail::Btrs btrs(static_cast<std::uint64_t>(mean / p), p);
      float greatest = 0;
      for (std::uint64_t k = 0; k < 20'000; ++k) {
        const double u = static_cast<double>(philox_word(1, k) >> 11) * 0x1p-53 - 0.5;
        const double v = static_cast<double>((philox_word(2, k) >> 11) + 1) * 0x1p-53;
        const double j = btrs.proposal(k % 3 == 0 ? u : u / 4);
        if (!btrs.possible(j)) continue;
        const double log_ratio = btrs.log_ratio(j);
        const double exact = log_ratio - std::log(v * btrs.hat(u));
        const float estimate = btrs.margin_estimate(u, v, j);
        if (std::isnan(estimate)) continue;  // doubles decide
        if (std::abs(log_ratio) < 60) {
          greatest = std::max(greatest, std::abs(estimate - static_cast<float>(exact)));
        } else {
          ASSERT_LT(estimate, -1) << mean << " " << p << " " << j;
        }
        ASSERT_EQ(btrs.accepts(u, v, j), btrs.accepts_exactly(u, v, j));
      }
      EXPECT_LT(greatest, detail::Btrs::max_margin_error / 2) << mean << " " << p;
    }
  }
}

TEST(BinomialBtrs, RatioOfProbabilitiesAgreesWithAHundredDigits) {
  for (const Trials& trials : btrs_cells()) {
    const detail::Btrs btrs(trials.n, trials.p);
    const std::uint64_t mode = btrs.mode();
    const Precise at_mode = log_probability(trials.n, trials.p, mode);
    EXPECT_EQ(mode, static_cast<std::uint64_t>((Precise(trials.n) + 1) * Precise(trials.p)))
        << trials;
    EXPECT_NEAR(btrs.log_ratio(0), 0.0, 1e-15) << trials;
    for (const double z : {-8.0, -3.0, -1.0, -0.3, 0.0, 0.2, 1.0, 4.0, 8.0}) {
      const double j = std::floor(z * trials.deviation()) + 1;
      if (!btrs.possible(j)) continue;
      const auto expected =
          static_cast<double>(log_probability(trials.n, trials.p, btrs.outcome(j)) - at_mode);
      EXPECT_NEAR(btrs.log_ratio(j), expected, 1e-13) << trials << ", j = " << j;
    }
    // Both ends.
    for (const double j : {-static_cast<double>(mode), static_cast<double>(trials.n - mode)}) {
      if (trials.n > 100'000 || std::abs(j) > 100) continue;
      const auto expected =
          static_cast<double>(log_probability(trials.n, trials.p, btrs.outcome(j)) - at_mode);
      EXPECT_NEAR(btrs.log_ratio(j), expected, 1e-13 * std::abs(expected) + 1e-13)
          << trials << ", j = " << j;
    }
  }
}

TEST(BinomialBtrs, PossibleOutcomes) {
  const detail::Btrs small(25, 0.5);
  EXPECT_EQ(small.mode(), 13U);
  EXPECT_TRUE(small.possible(-13));
  EXPECT_FALSE(small.possible(-14));
  EXPECT_TRUE(small.possible(12));
  EXPECT_FALSE(small.possible(13));
  const detail::Btrs large(all_ones, 0.5);
  EXPECT_TRUE(large.possible(1e18));
  for (const double j : {1e19, 1e300, HUGE_VAL, -1e19, -HUGE_VAL, std::nan("")}) {
    EXPECT_FALSE(small.possible(j)) << j;
    EXPECT_FALSE(large.possible(j)) << j;
  }
}

TEST(StirlingCorrection, IsWhatTheFormulaLacks) {
  for (int m = 1; m < 2000; m += m < 20 ? 1 : 97) {
    const Precise x = m;
    const Precise stirling =
        x * log(x) - x + log(2 * boost::math::constants::pi<Precise>() * x) / 2;
    EXPECT_NEAR(stirling_correction(m), static_cast<double>(boost::math::lgamma(x + 1) - stirling),
                1e-14)
        << m;
  }
}

TEST(Deviance, AgreesWithAHundredDigits) {
  for (const double x : {-1 + 0x1p-40, -0.9, -0.1000001, -0.0999999, -0.01, -1e-5, -1e-12, -1e-30,
                         0.0, 1e-20, 1e-9, 0.001, 0.0999999, 0.1000001, 1.0, 50.0}) {
    const auto expected = static_cast<double>((1 + Precise(x)) * log(1 + Precise(x)) - Precise(x));
    EXPECT_NEAR(detail::deviance(x), expected, 2e-14 * expected) << x;
  }
}

// ---- Power: the tests above reject planted faults --------------------------------------------

/// Inversion that counts one success too few.
std::uint64_t inversion_off_by_one(PhiloxEngine<10>& generator, std::uint64_t n, double p) {
  double u = uniform_double(generator);
  double mass = std::pow(1 - p, static_cast<double>(n));
  std::uint64_t k = 0;
  while (u >= mass && k < n) {
    u -= mass;
    ++k;
    mass *= p / (1 - p) * static_cast<double>(n - k) / static_cast<double>(k);
  }
  return k;
}

/// BTRS with a custom acceptance test.
template <class Accept>
std::uint64_t btrs_with(PhiloxEngine<10>& generator, const Trials& trials, Accept&& accept) {
  const detail::Btrs btrs(trials.n, trials.p);
  for (;;) {
    const double u = uniform_double(generator) - 0.5;
    const double v = uniform_positive_double(generator);
    const double j = btrs.proposal(u);
    if (btrs.possible(j) && accept(btrs, u, v, j)) return btrs.outcome(j);
  }
}

TEST(PlantedBias, WrongProbabilityIsCaught) {
  auto generator = engine(7);
  struct Case {
    Trials trials;
    double wrong;
  };
  for (const Case& planted :
       {Case{{10, 0.25}, 0.255}, Case{{1000, 0.1}, 0.101}, Case{{1'000'000, 0.5}, 0.50002},
        Case{{1ULL << 40, 0.75}, 0.75 + 2e-8}}) {
    const Trials& trials = planted.trials;
    EXPECT_LT(
        p_value(trials, samples, [&] { return binomial(generator, trials.n, planted.wrong); }),
        level)
        << trials;
  }
}

TEST(PlantedBias, InversionOffByOneIsCaught) {
  auto generator = engine(8);
  for (const Trials& trials : {Trials{3, 0.25}, Trials{20, 0.3}, Trials{40, 0.1}}) {
    EXPECT_LT(p_value(trials, samples,
                      [&] { return inversion_off_by_one(generator, trials.n, trials.p); }),
              level)
        << trials;
  }
}

TEST(PlantedBias, OneMoreInTwentyIsCaught) {
  auto generator = engine(9);
  for (const Trials& trials : {Trials{20, 0.3}, Trials{100, 0.25}}) {
    const auto draw = [&] {
      const std::uint64_t k = binomial(generator, trials.n, trials.p);
      return k < trials.n && uniform_double(generator) < 0.05 ? k + 1 : k;
    };
    EXPECT_LT(p_value(trials, 1'000'000, draw), level) << trials;
  }
}

TEST(PlantedBias, RejectionLeftOutIsCaught) {
  auto generator = engine(10);
  for (const Trials& trials : {Trials{40, 0.5}, Trials{1'000'000, 0.1}}) {
    const auto draw = [&](auto&& accept) {
      return p_value(trials, samples, [&] { return btrs_with(generator, trials, accept); });
    };
    const auto right = [](const detail::Btrs& btrs, double u, double v, double j) {
      return std::log(v * btrs.hat(u)) <= btrs.log_ratio(j);
    };
    const auto everything = [](const detail::Btrs&, double, double, double) { return true; };
    const auto without_hat = [](const detail::Btrs& btrs, double, double v, double j) {
      return std::log(v) <= btrs.log_ratio(j);
    };
    const auto too_wide = [&](const detail::Btrs& btrs, double u, double v, double j) {
      return std::abs(u) <= 0.43 || right(btrs, u, v, j);
    };
    EXPECT_GT(draw(right), level) << trials;
    EXPECT_LT(draw(everything), level) << trials;
    EXPECT_LT(draw(without_hat), level) << trials;
    EXPECT_LT(draw(too_wide), level) << trials;
  }
}

TEST(NormalApproximation, IsCaughtWhereItIsPoor) {
  auto generator = engine(11);
  for (const Trials& trials :
       {Trials{31, 0.05}, Trials{40, 0.1}, Trials{40, 0.9}, Trials{1000, 0.01}}) {
    EXPECT_LT(p_value(trials, samples,
                      [&] { return binomial_normal_approximation(generator, trials.n, trials.p); }),
              level)
        << trials;
  }
}

TEST(NormalApproximation, PassesWhereItIsGood) {
  auto generator = engine(12);
  for (const Trials& trials :
       {Trials{1'000'000, 0.5}, Trials{1'000'000'000, 0.25}, Trials{1ULL << 40, 0.9}}) {
    EXPECT_GT(p_value(trials, samples,
                      [&] { return binomial_normal_approximation(generator, trials.n, trials.p); }),
              level)
        << trials;
  }
}

TEST(NormalApproximation, RoundsAndClamps) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 62;  // cos(pi / 2) = 0
  constexpr std::uint64_t half = std::uint64_t{1} << 63;     // cos(pi) = -1
  using Words = ScriptedGenerator<std::uint64_t>;
  Words middle{quarter, quarter, quarter, quarter};
  EXPECT_EQ(binomial_normal_approximation(middle, 10, 0.24), 2U);
  EXPECT_EQ(binomial_normal_approximation(middle, 10, 0.26), 3U);
  Words low{0, half};  // -8.6 deviations
  EXPECT_EQ(binomial_normal_approximation(low, 40, 0.1), 0U);
  Words high{0, 0};  // +8.6 deviations
  EXPECT_EQ(binomial_normal_approximation(high, 40, 0.9), 40U);
}

}  // namespace
}  // namespace wrsgpu::random
