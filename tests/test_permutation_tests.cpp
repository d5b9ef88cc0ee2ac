// The statistics of permutations, and tests of shuffles with them. All seeds are fixed. At the
// level of the suites a correct shuffle fails a test with probability 10^-12, and each fault
// planted below shifts its statistic by at least 12 standard deviations, where 7.1 are rejected.
#include "verification/permutation_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "shuffle/linear_congruential.hpp"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/permutation_sources.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

using Permutation = std::vector<Index>;
using shuffle::LinearCongruential;
using shuffle::VariablePhilox;

constexpr double level = suite_budget.level();

Permutation identity(Index items) {
  Permutation all(items);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// All permutations of few items, in lexicographic order.
std::vector<Permutation> all_permutations(Index items) {
  std::vector<Permutation> all;
  Permutation next = identity(items);
  do all.push_back(next);
  while (std::next_permutation(next.begin(), next.end()));
  return all;
}

PermutationSource listed(std::vector<Permutation> permutations) {
  return [all = std::move(permutations)](std::uint64_t k, std::span<Index> out) {
    const Permutation& chosen = all[k % all.size()];
    std::copy(chosen.begin(), chosen.end(), out.begin());
  };
}

std::uint64_t discordant_by_definition(const Permutation& a, const Permutation& b) {
  std::uint64_t count = 0;
  for (std::size_t j = 1; j < a.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) count += (a[i] < a[j]) != (b[i] < b[j]) ? 1U : 0U;
  }
  return count;
}

bool mentions(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

// ---- the statistics

TEST(PermutationRank, IsThePlaceInLexicographicOrder) {
  for (Index items = 1; items <= 7; ++items) {
    const std::vector<Permutation> all = all_permutations(items);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_EQ(permutation_rank(all[rank]), rank) << items;
    }
  }
  Permutation last = identity(20);
  std::reverse(last.begin(), last.end());
  EXPECT_EQ(permutation_rank(last), 2'432'902'008'176'640'000U - 1);
}

TEST(PermutationRank, RefusesWhatIsNoPermutation) {
  EXPECT_TRUE(mentions(error_of([] {
                         return permutation_rank(Permutation{0, 2, 2});
                       }),
                       "place 2 holds 2"));
  EXPECT_TRUE(mentions(error_of([] {
                         return permutation_rank(Permutation{3, 1, 0});
                       }),
                       "place 0 holds 3"));
  EXPECT_TRUE(mentions(error_of([] { return permutation_rank(Permutation{4'000'000'000U}); }),
                       "place 0 holds 4000000000"));
  EXPECT_TRUE(mentions(error_of([] { return permutation_rank(identity(21)); }), "21 items"));
}

TEST(DiscordantPairs, KnownValues) {
  EXPECT_EQ(discordant_pairs(Permutation{}, Permutation{}), 0);
  EXPECT_EQ(discordant_pairs(Permutation{0}, Permutation{0}), 0);
  EXPECT_EQ(discordant_pairs(Permutation{0, 1}, Permutation{0, 1}), 0);
  EXPECT_EQ(discordant_pairs(Permutation{0, 1}, Permutation{1, 0}), 1);
  EXPECT_EQ(discordant_pairs(identity(5), Permutation{2, 0, 4, 1, 3}), 4);
  for (const Index items : {3U, 8U, 9U, 16U, 17U, 1000U, 100'000U}) {
    Permutation reversed = identity(items);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(discordant_pairs(identity(items), reversed), std::uint64_t{items} * (items - 1) / 2);
    EXPECT_EQ(discordant_pairs(reversed, reversed), 0);
    std::rotate(reversed.begin(), reversed.begin() + 1, reversed.end());
    EXPECT_EQ(discordant_pairs(reversed, identity(items)),
              std::uint64_t{items - 1} * (items - 2) / 2);
  }
}

TEST(DiscordantPairs, AreThoseOfTheDefinition) {
  const PermutationSource source = standard_shuffle(1);
  for (Index items = 1; items <= 150; ++items) {
    Permutation a(items);
    Permutation b(items);
    source(std::uint64_t{2} * items, a);
    source(std::uint64_t{2} * items + 1, b);
    const std::uint64_t expected = discordant_by_definition(a, b);
    ASSERT_EQ(discordant_pairs(a, b), expected) << items;
    ASSERT_EQ(discordant_pairs(b, a), expected) << items;
  }
}

TEST(DiscordantPairs, RefusesBadInput) {
  EXPECT_TRUE(mentions(error_of([] { return discordant_pairs(identity(3), identity(4)); }),
                       "of 3 and of 4"));
  const Permutation twice{0, 1, 1};
  const Permutation outside{0, 3, 1};
  for (const Permutation& bad : {twice, outside}) {
    EXPECT_THROW(static_cast<void>(discordant_pairs(bad, identity(3))), Error);
    EXPECT_THROW(static_cast<void>(discordant_pairs(identity(3), bad)), Error);
  }
}

TEST(MallowsKernel, MeanAndVarianceAreThoseOfAllPermutations) {
  for (Index items = 1; items <= 6; ++items) {
    const std::vector<Permutation> all = all_permutations(items);
    for (const double lambda : {0.0, 0.5, 5.0, 10.0}) {
      double sum = 0;
      double squares = 0;
      for (const Permutation& permutation : all) {
        const double kernel =
            mallows_kernel(discordant_by_definition(all[0], permutation), items, lambda);
        sum += kernel;
        squares += kernel * kernel;
      }
      const auto count = static_cast<double>(all.size());
      const double mean = sum / count;
      EXPECT_NEAR(mallows_mean(items, lambda), mean, 1e-14) << items << " " << lambda;
      EXPECT_NEAR(mallows_variance(items, lambda), squares / count - mean * mean, 1e-14)
          << items << " " << lambda;
    }
  }
}

TEST(MallowsKernel, KnownValues) {
  EXPECT_EQ(mallows_lambda, 5);
  EXPECT_EQ(mallows_kernel(0, 1), 1);
  EXPECT_EQ(mallows_kernel(0, 7), 1);
  EXPECT_DOUBLE_EQ(mallows_kernel(21, 7), std::exp(-5.0));
  EXPECT_DOUBLE_EQ(mallows_kernel(7, 7, 3), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(mallows_mean(2), (1 + std::exp(-5.0)) / 2);
  EXPECT_DOUBLE_EQ(mallows_variance(2), std::pow((1 - std::exp(-5.0)) / 2, 2));
  // Many items: n_dis / C(n, 2) is nearly normal with mean 1/2 and variance
  // v = (2 n + 5) / (18 n (n - 1)).
  for (const Index items : {10'000U, 1'000'000U}) {
    const double n = items;
    const double v = (2 * n + 5) / (18 * n * (n - 1));
    EXPECT_NEAR(mallows_mean(items) / std::exp(-2.5 + 12.5 * v), 1, 1e-8);
    EXPECT_NEAR(mallows_variance(items) / (std::exp(-5 + 25 * v) * std::expm1(25 * v)), 1, 1e-3);
  }
}

TEST(MmdThresholds, KnownValues) {
  // 2 exp(-q t^2) = 0.05, and 1.96 standard deviations of a mean of q/2 kernels.
  EXPECT_NEAR(mmd_threshold_hoeffding(100'000, 0.05), 0.00607362, 1e-8);
  EXPECT_NEAR(mmd_threshold_asymptotic(5, 100'000, 0.05) / std::sqrt(mallows_variance(5) / 50'000),
              1.959964, 1e-6);
  EXPECT_NEAR(chi_squared_threshold(5, 0.05), 145.461, 1e-3);
  EXPECT_NEAR(chi_squared_threshold(2, 0.01), 6.6349, 1e-4);
  for (const double bad : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(mmd_threshold_hoeffding(10, bad)), Error);
    EXPECT_THROW(static_cast<void>(mmd_threshold_asymptotic(5, 10, bad)), Error);
    EXPECT_THROW(static_cast<void>(chi_squared_threshold(5, bad)), Error);
  }
  for (const Index bad : {0U, 1U, 9U}) {
    EXPECT_THROW(static_cast<void>(chi_squared_threshold(bad, 0.05)), Error);
  }
}

TEST(MmdThresholds, BelongToThePValues) {
  constexpr std::uint64_t count = 1000;
  const MmdReports reports = permutation_mmd(6, count, standard_shuffle(2));
  const double statistic = std::abs(reports.asymptotic.statistic);
  ASSERT_EQ(reports.hoeffding.statistic, reports.asymptotic.statistic);
  ASSERT_GT(statistic, 0);
  EXPECT_NEAR(mmd_threshold_asymptotic(6, count, reports.asymptotic.p_value), statistic, 1e-12);
  // Hoeffding's bound exceeds 1 unless the statistic is large.
  const MmdReports large = permutation_mmd(6, 10, listed({identity(6)}));
  ASSERT_LT(large.hoeffding.p_value, 1);
  EXPECT_NEAR(mmd_threshold_hoeffding(10, large.hoeffding.p_value), large.hoeffding.statistic,
              1e-12);
}

TEST(PermutationMmd, IsTheMeanOfThePairsLessThatOfAll) {
  // Three pairs of permutations, with 0, 3 and 1 discordant pairs out of 3.
  const std::vector<Permutation> six{{2, 0, 1}, {2, 0, 1}, {0, 1, 2},
                                     {2, 1, 0}, {1, 0, 2}, {2, 0, 1}};
  const double expected =
      (1 + std::exp(-5.0) + std::exp(-5.0 / 3)) / 3 -
      (1 + 2 * std::exp(-5.0 / 3) + 2 * std::exp(-10.0 / 3) + std::exp(-5.0)) / 6;
  const MmdReports reports = permutation_mmd(3, 6, listed(six));
  EXPECT_NEAR(reports.asymptotic.statistic, expected, 1e-14);
  EXPECT_EQ(reports.asymptotic.samples, 6);
  EXPECT_EQ(reports.asymptotic.name, "permutation_mmd_asymptotic");
  EXPECT_EQ(reports.hoeffding.name, "permutation_mmd_hoeffding");
  EXPECT_NEAR(reports.asymptotic.p_value,
              std::erfc(expected / std::sqrt(2 * mallows_variance(3) / 3)), 1e-14);
}

TEST(PermutationMmd, AlwaysTheSameAndAlwaysTheReverseFail) {
  Permutation reversed = identity(50);
  std::reverse(reversed.begin(), reversed.end());
  const MmdReports same = permutation_mmd(50, 2000, listed({reversed}));
  EXPECT_NEAR(same.asymptotic.statistic, 1 - mallows_mean(50), 1e-14);
  EXPECT_FALSE(same.asymptotic.passes(level));
  EXPECT_FALSE(same.hoeffding.passes(level));
  // The opposite of a distributional fault: the statistic is negative.
  const MmdReports opposite = permutation_mmd(50, 2000, listed({identity(50), reversed}));
  EXPECT_NEAR(opposite.asymptotic.statistic, std::exp(-5.0) - mallows_mean(50), 1e-14);
  EXPECT_FALSE(opposite.asymptotic.passes(level));
}

TEST(PermutationMmd, ASingleItemProvesNothing) {
  const MmdReports reports = permutation_mmd(1, 10, listed({{0}}));
  EXPECT_EQ(reports.asymptotic.statistic, 0);
  EXPECT_EQ(reports.asymptotic.p_value, 1);
  EXPECT_EQ(reports.hoeffding.p_value, 1);
}

TEST(PermutationMmd, ThreadsDoNotChangeTheResult) {
  for (const std::uint64_t count : {2ULL, 128ULL, 130ULL, 5002ULL}) {
    const MmdReports one = permutation_mmd(33, count, walked(3), 1);
    for (const unsigned threads : {2U, 3U, 7U}) {
      const MmdReports more = permutation_mmd(33, count, walked(3), threads);
      EXPECT_EQ(more.asymptotic.statistic, one.asymptotic.statistic);
      EXPECT_EQ(more.asymptotic.p_value, one.asymptotic.p_value);
    }
  }
}

TEST(PermutationMmd, RefusesBadInput) {
  const PermutationSource good = listed({identity(4)});
  for (const std::uint64_t count : {0ULL, 1ULL, 7ULL}) {
    EXPECT_THROW(static_cast<void>(permutation_mmd(4, count, good)), Error) << count;
  }
  EXPECT_THROW(static_cast<void>(permutation_mmd(0, 2, good)), Error);
  for (const std::size_t where : {std::size_t{500}, std::size_t{501}}) {
    std::vector<Permutation> some(1000, identity(4));
    some[where] = {0, 1, 2, 2};
    for (const unsigned threads : {1U, 3U}) {
      const std::string message =
          error_of([&] { return permutation_mmd(4, some.size(), listed(some), threads); });
      EXPECT_TRUE(mentions(message, "permutation " + std::to_string(where) + ":")) << message;
    }
  }
}

TEST(PermutationChiSquared, CountsEveryPermutation) {
  std::vector<Permutation> all = all_permutations(5);
  const StatisticalReport even = permutation_chi_squared(5, 1200, listed(all));
  EXPECT_EQ(even.statistic, 0);
  EXPECT_EQ(even.degrees_of_freedom, 119);
  EXPECT_EQ(even.samples, 1200);
  EXPECT_EQ(even.name, "permutation_chi_squared");
  // A permutation that never occurs contributes its full expected count.
  for (const std::size_t lost : {std::size_t{0}, std::size_t{77}, std::size_t{119}}) {
    std::vector<Permutation> some = all;
    some[lost] = all[(lost + 1) % 120];
    EXPECT_NEAR(permutation_chi_squared(5, 1200, listed(some)).statistic, 20, 1e-10) << lost;
  }
  const StatisticalReport same = permutation_chi_squared(5, 1200, listed({all[3]}));
  EXPECT_NEAR(same.statistic, 119 * 1200, 1e-6);
  EXPECT_FALSE(same.passes(level));
  EXPECT_EQ(permutation_chi_squared(1, 5, listed({{0}})).p_value, 1);
  EXPECT_EQ(permutation_chi_squared(8, 201'600, listed(all_permutations(8))).statistic, 0);
}

TEST(PermutationChiSquared, ThreadsDoNotChangeTheResult) {
  const StatisticalReport one = permutation_chi_squared(4, 1001, walked(4), 1);
  for (const unsigned threads : {2U, 3U, 7U}) {
    EXPECT_EQ(permutation_chi_squared(4, 1001, walked(4), threads).statistic, one.statistic);
  }
}

TEST(PermutationChiSquared, RefusesBadInput) {
  const PermutationSource good = walked(1);
  EXPECT_THROW(static_cast<void>(permutation_chi_squared(0, 1000, good)), Error);
  EXPECT_TRUE(mentions(error_of([&] { return permutation_chi_squared(9, 10'000'000, good); }),
                       "'items' is 9"));
  EXPECT_TRUE(mentions(error_of([&] { return permutation_chi_squared(5, 599, good); }), "too few"));
  EXPECT_EQ(error_of([&] { return permutation_chi_squared(5, 600, good); }), "no error");
  std::vector<Permutation> some(100, identity(3));
  some[42] = {1, 2, 1};
  const std::string message =
      error_of([&] { return permutation_chi_squared(3, some.size(), listed(some)); });
  EXPECT_TRUE(mentions(message, "permutation 42:")) << message;
}

TEST(PermutationTests, PValuesAreHonest) {
  // Of 2000 runs of a correct shuffle, a tenth have p < 0.1, and Hoeffding's bound far fewer.
  constexpr std::uint64_t runs = 2000;
  constexpr std::uint64_t count = 1200;
  double mmd = 0;
  double bounded = 0;
  double chi_squared = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const PermutationSource source = walked(1000 + run);
    const MmdReports reports = permutation_mmd(5, count, source, 1);
    mmd += reports.asymptotic.p_value < 0.1 ? 1 : 0;
    bounded += reports.hoeffding.p_value < 0.1 ? 1 : 0;
    chi_squared += permutation_chi_squared(5, count, source, 1).p_value < 0.1 ? 1 : 0;
  }
  // Binomial tails at a level of 10^-12, plus one run in a hundred for the error of the
  // approximations.
  using boost::math::binomial_distribution;
  const double fewest = quantile(binomial_distribution<double>(runs, 0.09), level);
  const double maximum = quantile(complement(binomial_distribution<double>(runs, 0.11), level));
  for (const double seen : {mmd, chi_squared}) {
    EXPECT_GE(seen, fewest);
    EXPECT_LE(seen, maximum);
  }
  EXPECT_LE(bounded, quantile(complement(binomial_distribution<double>(runs, 0.1), level)));
}

// ---- correct shuffles

struct NamedSource {
  std::string name;
  PermutationSource source;
};

std::vector<NamedSource> correct_shuffles() {
  return {{"std::shuffle", standard_shuffle(1)},
          {"VariablePhilox<24>, compacted", compacted<VariablePhilox<24>>(1)},
          {"LazyPermutation", [](std::uint64_t k, std::span<Index> out) {
             const auto permutation = shuffle::lazy_permutation(out.size(), permutation_seed(1, k));
             std::copy(permutation.begin(), permutation.end(), out.begin());
           }}};
}

TEST(Compaction, KeepsTheOrder) {
  const LinearCongruential bijection(4, 9);
  Permutation expected;
  for (std::uint64_t i = 0; i < 16; ++i) {
    if (bijection(i) < 11) expected.push_back(static_cast<Index>(bijection(i)));
  }
  Permutation found(11);
  compact(bijection, found);
  EXPECT_EQ(found, expected);
}

TEST(CorrectShuffles, AllOrdersOfFewItemsAreEquallyLikely) {
  for (const NamedSource& shuffle : correct_shuffles()) {
    for (const Index items : {2U, 3U, 4U, 5U, 6U, 7U}) {
      const StatisticalReport report = permutation_chi_squared(items, 100'000, shuffle.source);
      EXPECT_TRUE(report.passes(level)) << shuffle.name << " " << items << " " << to_string(report);
    }
  }
}

TEST(CorrectShuffles, MmdPassesAtEveryLength) {
  const auto lengths = all_or_few<std::vector<Index>>(
      {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 256, 257, 1000, 1024, 1025}, {1, 5, 33, 257});
  for (const NamedSource& shuffle : correct_shuffles()) {
    for (const Index items : lengths) {
      const MmdReports reports =
          permutation_mmd(items, items < 20 ? 100'000 : 10'000, shuffle.source);
      EXPECT_TRUE(reports.asymptotic.passes(level))
          << shuffle.name << " " << items << " " << to_string(reports.asymptotic);
      EXPECT_TRUE(reports.hoeffding.passes(level));
    }
  }
}

// ---- incorrect shuffles

TEST(WrongShuffles, LinearCongruentialFailsBothTests) {
  const PermutationSource source = compacted<LinearCongruential>(1);
  EXPECT_FALSE(permutation_chi_squared(5, 100'000, source).passes(level));
  for (const Index items : {4U, 5U, 8U, 16U, 17U, 64U, 65U, 256U, 257U}) {
    const MmdReports reports = permutation_mmd(items, 100'000, source);
    EXPECT_FALSE(reports.asymptotic.passes(level)) << items << to_string(reports.asymptotic);
  }
}

TEST(WrongShuffles, TooFewRoundsFailBothTests) {
  const PermutationSource source = compacted<VariablePhilox<6>>(1);
  EXPECT_FALSE(permutation_chi_squared(5, 100'000, source).passes(level));
  EXPECT_FALSE(permutation_mmd(5, 100'000, source).asymptotic.passes(level));
  // Chi-squared detects a fault that the MMD does not.
  const PermutationSource twelve = compacted<VariablePhilox<12>>(1);
  EXPECT_FALSE(permutation_chi_squared(5, 100'000, twelve).passes(level));
}

TEST(PlantedBias, AFixedPointInAHundredIsSeenByChiSquared) {
  // Swapped to its own place with probability 0.01, item 0 is there 4% too often, otherwise 1% too
  // seldom: 3 * 10^6 (0.2 * 0.04^2 + 0.8 * 0.01^2) = 1200 over 119 +- 15.
  const PermutationSource biased = [fair = walked(5)](std::uint64_t k, std::span<Index> out) {
    fair(k, out);
    if (random::philox_word(6, k) % 100 == 0) {
      std::swap(out[0], *std::find(out.begin(), out.end(), Index{0}));
    }
  };
  EXPECT_FALSE(permutation_chi_squared(5, 3'000'000, biased).passes(level));
  EXPECT_TRUE(permutation_chi_squared(5, 3'000'000, walked(5)).passes(level));
}

/// A Fisher-Yates shuffle that swaps each place with `choose(generator, i, items)`.
template <class Choose>
PermutationSource swapping(const Choose& choose) {
  return [choose](std::uint64_t k, std::span<Index> out) {
    std::mt19937_64 generator(permutation_seed(7, k));
    std::iota(out.begin(), out.end(), Index{0});
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::swap(out[i], out[choose(generator, i, out.size())]);
    }
  };
}

std::size_t any_of(std::mt19937_64& generator, std::size_t places) {
  return std::uniform_int_distribution<std::size_t>(0, places - 1)(generator);
}

TEST(PlantedBias, ASwapWithAnyPlaceIsSeen) {
  const PermutationSource naive = swapping(
      [](auto& generator, std::size_t, std::size_t items) { return any_of(generator, items); });
  EXPECT_FALSE(permutation_chi_squared(5, 100'000, naive).passes(level));
  // The statistic stays constant and its deviation falls as 1/n: 34 deviations at 1000 items.
  const MmdReports reports = permutation_mmd(1000, 50'000, naive);
  EXPECT_FALSE(reports.asymptotic.passes(level)) << to_string(reports.asymptotic);
  const PermutationSource fair = swapping(
      [](auto& generator, std::size_t i, std::size_t) { return any_of(generator, i + 1); });
  EXPECT_TRUE(permutation_chi_squared(5, 100'000, fair).passes(level));
  EXPECT_TRUE(permutation_mmd(1000, 10'000, fair).asymptotic.passes(level));
}

TEST(PlantedBias, AShuffleWithoutFixedPointsIsSeenByBothTests) {
  // Off by one: place i is never swapped with itself, so only cycles of all items result.
  const PermutationSource cyclic =
      swapping([](auto& generator, std::size_t i, std::size_t) -> std::size_t {
        return i == 0 ? 0 : any_of(generator, i);
      });
  EXPECT_FALSE(permutation_chi_squared(5, 100'000, cyclic).passes(level));
  EXPECT_FALSE(permutation_mmd(5, 100'000, cyclic).asymptotic.passes(level));
}

TEST(PlantedBias, RepeatedPermutationsAreSeenByTheMmd) {
  // In one pair of twenty-five the second repeats the first: all orders are equally likely, but the
  // mean kernel is 0.04 (1 - m) too large, with m = 0.14; fifty deviations.
  const PermutationSource repeating = [fair = walked(8)](std::uint64_t k, std::span<Index> out) {
    fair(k % 50 == 1 ? k - 1 : k, out);
  };
  const MmdReports reports = permutation_mmd(5, 100'000, repeating);
  EXPECT_FALSE(reports.asymptotic.passes(level)) << to_string(reports.asymptotic);
  EXPECT_TRUE(permutation_chi_squared(5, 100'000, repeating).passes(level));
}

}  // namespace
}  // namespace wrsgpu::verification
