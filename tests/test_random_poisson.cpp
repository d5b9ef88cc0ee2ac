// Poisson deviates against Boost.Math. The statistical tests have a false-alarm rate of 1e-6 for
// the whole program, over the choice of seeds (which are fixed).
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "scripted_generator.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/poisson.hpp"

namespace wrsgpu::random {
namespace {

constexpr double level = verification::FalseAlarmBudget(1e-6, 30).level();
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// p-value of `samples` deviates of mean `mean` under the Poisson distribution of mean `expected`.
/// Classes are single outcomes, or a fifth of a standard deviation.
double p_value(double mean, double expected, std::uint64_t samples = 300'000) {
  const boost::math::poisson law(expected);
  const double deviation = std::sqrt(expected);
  const double step = std::max(1.0, std::floor(deviation / 5));
  const double begin = std::max(0.0, std::floor(expected - 12 * deviation));
  std::vector<double> last;
  for (double k = begin; k < expected + 12 * deviation + 12; k += step) last.push_back(k);
  std::vector<double> probabilities;
  double below = 0;
  for (const double k : last) {
    probabilities.push_back(boost::math::cdf(law, k) - below);
    below += probabilities.back();
  }
  probabilities.push_back(std::max(0.0, 1 - below));
  verification::Counts counts(probabilities.size(), 0);
  PhiloxEngine<> generator(RandomState{7, 0});
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto deviate = static_cast<double>(poisson<PortableMath>(generator, mean));
    ++counts[static_cast<std::size_t>(std::ranges::lower_bound(last, deviate) - last.begin())];
  }
  return verification::chi_squared(counts, probabilities, 100).p_value;
}

constexpr double means[] = {0.05, 0.7, 3, 9.999, 10, 10.7, 14, 33.3, 100, 1234.5, 1e6};

TEST(Poisson, HasTheDistribution) {
  for (const double mean : means) {
    EXPECT_GT(p_value(mean, mean), level) << mean;
    if (mean >= 0.7) {
      EXPECT_LT(p_value(mean * 1.02, mean), level) << mean << ", a planted bias";
    }
  }
}

// The normal distribution to within 1e-8, of which the third moment is the largest difference.
TEST(Poisson, HasTheDistributionForHugeMeans) {
  for (const double mean : {0x1.8p53, 0x1.23456789abcdep62}) {
    PhiloxEngine<> generator(RandomState{8, 0});
    verification::Counts counts(64, 0);
    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t k = poisson<PortableMath>(generator, mean);
      const auto distance = static_cast<std::int64_t>(k - static_cast<std::uint64_t>(mean));
      const double z = static_cast<double>(distance) / std::sqrt(mean);
      ++counts[std::min<std::size_t>(
          63, static_cast<std::size_t>(32 * std::erfc(-z / std::sqrt(2.0))))];
    }
    const auto report = verification::chi_squared(counts, std::vector<double>(64, 1.0 / 64));
    EXPECT_GT(report.p_value, level) << mean;
  }
}

// A rejection method is exact if its hat is nowhere below the probabilities and its squeeze nowhere
// above them.
TEST(Poisson, HatIsAboveAndSqueezeBelow) {
  for (double mean = Ptrs::min_mean; mean < 0x1p62; mean *= mean < 2000 ? 1.004 : 20) {
    const Ptrs ptrs(mean);
    for (int i = 1; i < 1'000; ++i) {
      const double x = i / 1'000.0;
      for (const double u : {0.5 - 0.5 * x * x, 0.5 * x * x - 0.5}) {
        const double j = ptrs.proposal(u);
        if (!ptrs.possible(j)) continue;
        const double probability = std::exp(ptrs.log_probability(j));
        ASSERT_LE(probability, ptrs.hat(u)) << mean << ", u = " << u;
        ASSERT_LE(ptrs.squeeze(u) * ptrs.hat(u), probability) << mean << ", u = " << u;
      }
    }
  }
}

// Floats decide only where they are right.
TEST(Poisson, FloatsDecideAsDoubles) {
  for (const double mean : {10.0, 11.5, 30.0, 100.0, 1e4, 1e9, 1e15, 4e18}) {
    const Ptrs ptrs(mean);
    float greatest = 0;
    for (std::uint64_t k = 0; k < 20'000; ++k) {
      const double u = unit_double(philox_word(1, k)) - 0.5;
      const double v = positive_unit_double(philox_word(2, k));
      const double j = ptrs.proposal(k % 3 == 0 ? u : u / 4);
      if (!ptrs.possible(j)) continue;
      const double log_probability = ptrs.log_probability(j);
      const double exact = log_probability - std::log(v * ptrs.hat(u));
      const float estimate = ptrs.margin_estimate(u, v, j);
      if (std::isnan(estimate)) continue;  // doubles decide
      if (log_probability > -60) {
        greatest = std::max(greatest, std::abs(estimate - static_cast<float>(exact)));
      } else {
        ASSERT_LT(estimate, -1) << mean << " " << j;
      }
      ASSERT_EQ(ptrs.accepts(u, v, j), ptrs.accepts_exactly(u, v, j)) << mean << " " << j;
    }
    EXPECT_LT(greatest, Ptrs::max_margin_error / 2) << mean;
  }
}

TEST(Poisson, ProbabilitiesAreAccurate) {
  for (const double mean : {10.0, 12.25, 99.9, 5000.0}) {
    const Ptrs ptrs(mean);
    for (double k = 0; k < 3 * mean; k += std::ceil(mean / 40)) {
      const auto exact = static_cast<double>(k * std::log(static_cast<long double>(mean)) - mean -
                                             std::lgamma(static_cast<long double>(k) + 1));
      const double found = ptrs.log_probability<PortableMath>(k - std::floor(mean));
      ASSERT_NEAR(found, exact, 1e-13 * (1 + std::abs(exact))) << mean << ", k = " << k;
    }
  }
}

// Finds less than a test of deviates does: an error of 10^-3 in a factor.
TEST(Poisson, InversionEndsWhereTheDistributionDoes) {
  for (const double mean : {0.05, 0.7, 3.0, 9.999, 300.0}) {
    const boost::math::poisson law(mean);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t word = philox_word(4, i);
      ScriptedGenerator<std::uint64_t> generator{word};
      const auto k = static_cast<double>(poisson_inversion<PortableMath>(generator, mean));
      ASSERT_LT(unit_double(word), boost::math::cdf(law, k) + 1e-12) << mean;
      if (k == 0) continue;
      ASSERT_GT(unit_double(word), boost::math::cdf(law, k - 1) - 1e-12) << mean;
    }
  }
}

TEST(Poisson, Edges) {
  PhiloxEngine<> generator(RandomState{9, 0});
  for (const double none : {0.0, -0.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(poisson(generator, none), 0U);
  }
  EXPECT_EQ(poisson(generator, std::numeric_limits<double>::denorm_min()), 0U);
  for (const double mean : {1e-9, 0.5, 9.0, 400.0}) {
    ScriptedGenerator<std::uint64_t> largest{all_ones};
    EXPECT_LT(static_cast<double>(poisson_inversion(largest, mean)),
              mean + 40 + 12 * std::sqrt(mean));
  }
  for (const double mean : {10.0, 1e6, 0x1p62}) {
    // u = -1/2 proposes minus infinity; the largest word a number far beyond the mean.
    ScriptedGenerator<std::uint64_t> extreme{0, 0, all_ones, 0, 0, all_ones};
    const auto k = static_cast<double>(poisson(extreme, mean));
    EXPECT_GE(extreme.drawn(), 8U);
    EXPECT_NEAR(k, mean, 10 * std::sqrt(mean)) << mean;
  }
}

}  // namespace
}  // namespace wrsgpu::random
