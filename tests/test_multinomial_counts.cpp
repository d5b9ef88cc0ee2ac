// Counts of samples that are not drawn: their law, and the functions that are the same on CPU and
// GPU. `gpu_test_multinomial_counts.cu` compares the GPU with the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/count_law.hpp"
#include "tests/error_message.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/logarithm.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/multinomial_counts.hpp"

namespace wrsgpu {
namespace {

using Weights = std::vector<double>;
using verification::Counts;
using verification::suite_budget;

template <class T>
Counts counted(const std::vector<T>& weights, std::uint64_t samples, RandomState state,
               unsigned threads = 1) {
  Counts counts(weights.size(), 0xEEEE);
  multinomial_counts(weights, counts, samples, state, threads);
  return counts;
}

TEST(MultinomialCounts, HaveTheirLaw) {
  const CountLaw law = multinomial_law({0.5, 0, 0.25, 0.125, 0.125}, 7);
  const auto p_of = [&](const Weights& weights) {
    return count_law_p(law, 300'000, [&](std::uint64_t seed) {
      return counted(weights, 7, {seed / 8, seed % 8});
    });
  };
  EXPECT_GT(p_of({4, 0, 2, 1, 1}), suite_budget.level());
  EXPECT_LT(p_of({4.08, 0, 2, 1, 1}), suite_budget.level());  // a planted bias of 2%
}

/// p-value of counts that `of(seed)` gives for 20,000 seeds under the binomial distribution.
template <class Of>
double binomial_p(double samples, double probability, const Of& of) {
  const boost::math::binomial law(samples, probability);
  Counts counts(50, 0);
  std::vector<double> probabilities;
  std::vector<double> last;
  double below = 0;
  for (double quantile = 0.02; quantile < 0.99; quantile += 0.02) {
    last.push_back(std::floor(boost::math::quantile(law, quantile)));
    probabilities.push_back(boost::math::cdf(law, last.back()) - below);
    below += probabilities.back();
  }
  probabilities.push_back(1 - below);
  counts.resize(probabilities.size());
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const auto count = static_cast<double>(of(seed));
    ++counts[static_cast<std::size_t>(std::ranges::lower_bound(last, count) - last.begin())];
  }
  return verification::chi_squared(counts, probabilities, 25).p_value;
}

// By rounds of Poisson deviates, of which the means are some below 10, and one by one.
TEST(MultinomialCounts, HaveTheirLawForManySamples) {
  const Weights weights{500, 300, 0, 195, 4, 0.75, 0.25};
  for (const std::uint64_t samples : {std::uint64_t{4097}, std::uint64_t{1'000'000}}) {
    std::vector<Counts> all;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      all.push_back(counted(weights, samples, {samples, seed}));
    }
    const auto p_of = [&](double share, auto&& of) {
      return binomial_p(static_cast<double>(samples), share,
                        [&](auto seed) { return of(all[seed]); });
    };
    const auto first = [](const Counts& counts) { return counts[0]; };
    EXPECT_GT(p_of(0.5, first), suite_budget.level()) << samples;
    EXPECT_LT(p_of(0.505, first), suite_budget.level()) << samples << ", a planted bias";
    EXPECT_GT(p_of(0.004, [](const Counts& c) { return c[4]; }), suite_budget.level()) << samples;
    // Of independent counts the sum would vary more.
    EXPECT_GT(p_of(0.8, [](const Counts& c) { return c[0] + c[1]; }), suite_budget.level())
        << samples;
    EXPECT_GT(p_of(0.00475, [](const Counts& c) { return c[4] + c[5]; }), suite_budget.level())
        << samples;
  }
}

// Two items of one sample each, on average, the first ones: a round with too many samples, one in
// 50, is made again, and takes nothing from them; and they have words of their own.
TEST(MultinomialCounts, OfLightItemsHaveTheirJointLaw) {
  constexpr std::uint64_t samples = 4097;  // one more than are drawn one by one
  const auto up_to_4 = [](std::uint64_t a, std::uint64_t b) {
    return Counts{a < 4 ? a : 4, b < 4 ? b : 4};
  };
  const auto law = [&](double share) {
    CountLaw joint;
    const boost::math::binomial first(samples, share);
    for (unsigned a = 0; a < 40; ++a) {
      const boost::math::binomial second(samples - a, share / (1 - share));
      for (unsigned b = 0; b < 40; ++b) {
        joint[up_to_4(a, b)] += boost::math::pdf(first, a) * boost::math::pdf(second, b);
      }
    }
    return joint;
  };
  const Weights weights{1, 1, samples - 2};
  std::vector<Counts> all;
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    const Counts counts = counted(weights, samples, {seed, 1});
    all.push_back(up_to_4(counts[0], counts[1]));
  }
  const auto p_of = [&](double share) {
    return count_law_p(law(share), all.size(), [&](std::uint64_t seed) { return all[seed]; });
  };
  EXPECT_GT(p_of(1.0 / samples), suite_budget.level());
  EXPECT_LT(p_of(1.05 / samples), suite_budget.level());  // a planted bias
}

TEST(MultinomialCounts, FitTheMassesForAnyNumberOfSamples) {
  for (const Index items : {2U, 1000U, 2049U, 10'000U}) {
    Weights weights(items);
    for (Index i = 0; i < items; ++i) weights[i] = 1 / (1.0 + i);
    const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
    std::vector<double> probabilities(items);
    for (Index i = 0; i < items; ++i) {
      probabilities[i] = static_cast<double>(masses[i]) / (items * 0x1p32);
    }
    for (const std::uint64_t samples :
         {std::uint64_t{1000}, std::uint64_t{1'000'000}, std::uint64_t{1'000'000'000'000}}) {
      const Counts counts = counted(weights, samples, {items, samples});
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), samples);
      for (const auto& report : {verification::chi_squared(counts, probabilities, 25),
                                 verification::worst_item(counts, probabilities)}) {
        EXPECT_TRUE(report.passes(suite_budget.level()))
            << to_string(report) << " " << samples << " of " << items;
      }
    }
  }
}

// More tiles than a tree has leaves, so that all three stages divide.
TEST(MultinomialCounts, OfTilesAreIndependent) {
  constexpr std::size_t tile = mass_tile_items;
  constexpr std::size_t second = 256;         // tiles of the second group
  constexpr std::uint64_t samples = 1 << 26;  // so many for each tile that rounds divide them
  // The pattern is that of the tiles in their groups and of the items in their tiles, so that the
  // same nodes with the same words would give like counts.
  const auto of_pattern = [](std::size_t i) { return static_cast<double>(1 + i % 4); };
  Weights weights((tile + second) * tile);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = of_pattern(i / tile) * of_pattern(i);
  }
  const Counts counts = counted(weights, samples, {3, 4}, 0);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Counts of_tiles(weights.size() / tile);
  std::vector<double> probabilities(of_tiles.size());
  for (std::size_t t = 0; t < of_tiles.size(); ++t) {
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(t * tile);
    of_tiles[t] = std::accumulate(begin, begin + tile, std::uint64_t{0});
    probabilities[t] = of_pattern(t) * 2.5 * tile / total;
  }
  const auto report = verification::chi_squared(of_tiles, probabilities, 25);
  EXPECT_TRUE(report.passes(suite_budget.level())) << to_string(report);
  const auto of_tile = [&](std::size_t t) {
    const double expected = probabilities[t] * samples;
    return (static_cast<double>(of_tiles[t]) - expected) / std::sqrt(expected);
  };
  const auto of_item = [&](std::size_t i) {
    const double expected = weights[i] / total * samples;
    return (static_cast<double>(counts[i]) - expected) / std::sqrt(expected);
  };
  // The p-value of n products of standardised counts.
  const auto independence_p = [](std::size_t n, const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a(k) * b(k);
    return std::erfc(std::abs(sum) / std::sqrt(2.0 * static_cast<double>(n)));
  };
  const auto of_later_tile = [&](std::size_t t) { return of_tile(tile + t); };
  const auto of_later_item = [&](std::size_t i) { return of_item(tile + i); };
  EXPECT_GT(independence_p(second, of_tile, of_later_tile), suite_budget.level());
  EXPECT_GT(independence_p(tile, of_item, of_tile), suite_budget.level());
  EXPECT_GT(independence_p(tile, of_item, of_later_item), suite_budget.level());
}

TEST(MultinomialCounts, AddUpAndGiveNothingToNoMass) {
  for (const auto& family : verification::weight_families()) {
    for (const Index items : {1U, 3U, 2048U, 2049U}) {
      const Weights weights = family.make(items);
      const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
      for (const std::uint64_t samples : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
        const Counts counts = counted(weights, samples, {1, samples});
        ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), samples);
        for (Index i = 0; i < items; ++i) {
          ASSERT_TRUE(masses[i] > 0 || counts[i] == 0) << family.name << " " << i;
        }
      }
    }
  }
}

TEST(MultinomialCounts, DependNeitherOnTypesNorThreads) {
  std::vector<float> floats(20'000);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i % 100);
  const Weights doubles(floats.begin(), floats.end());
  const Counts counts = counted(floats, 1'000'000, {1, 2});
  EXPECT_EQ(counted(doubles, 1'000'000, {1, 2}, 3), counts);
  EXPECT_NE(counted(doubles, 1'000'000, {1, 3}), counts);
  EXPECT_NE(counted(doubles, 1'000'000, {2, 2}), counts);
}

TEST(MultinomialCounts, RefuseBadArgumentsAndWriteNothing) {
  const Counts untouched(3, 77);
  const auto refusal = [&](const Weights& weights, std::size_t size) {
    Counts counts = untouched;
    std::string message = error_of([&] {
      multinomial_counts(weights, std::span(counts).first(size), 10, {1, 0});
    });
    EXPECT_EQ(counts, untouched);
    return message;
  };
  EXPECT_EQ(refusal({1, 2}, 3), "argument 'counts' has 3 elements; there are 2 weights");
  EXPECT_EQ(refusal({}, 0), "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(refusal({1, -1}, 2), "argument 'weights': weight 1 is negative (-1)");
  EXPECT_EQ(refusal({0, 0}, 2), "argument 'weights': all 2 weights are zero");
}

// ---------------------------------------------------------------------------------------------

TEST(PortableMath, IsAccurate) {
  using Math = random::PortableMath;
  for (std::uint64_t j = 0; j < 100'000; ++j) {
    const double u = static_cast<double>(random::philox_word(1, j) >> 11) * 0x1p-53;
    const double x = std::ldexp(0.5 + u, static_cast<int>(j % 200) - 100);
    const auto log = std::log(static_cast<long double>(x));
    ASSERT_NEAR(Math::log(x), static_cast<double>(log),
                0x1p-51 * (1 + std::abs(static_cast<double>(log))));
    const double y = j % 2 == 0 ? x * 0x1p-60 : -u;
    const auto log1p = std::log1p(static_cast<long double>(y));
    const auto exact = static_cast<double>(log1p);
    ASSERT_NEAR(Math::log1p(y), exact,
                std::abs(y) < 1.0 / 3 ? 0x1p-50 * std::abs(exact) : 0x1p-51 * (1 + std::abs(exact)))
        << y;
    const double z = -700 * u * (j % 3 == 0 ? 1e-3 : 1.0);
    const auto exp = std::exp(static_cast<long double>(z));
    ASSERT_NEAR(Math::exp(z) / static_cast<double>(exp), 1, 0x1p-50 * (1 - z)) << z;
  }
  EXPECT_EQ(Math::log(1), 0);
  EXPECT_EQ(Math::log1p(0), 0);
  EXPECT_EQ(Math::exp(0), 1);
}

}  // namespace
}  // namespace wrsgpu
