// Tests of the statistical tests: known values, calibrated p-values, and power. Every planted fault
// below is large enough for its number of samples that the named test misses it with probability <
// 10^-6 at the level of the suites (10^-12: 7.0 standard deviations one-sided, so a true deviation
// of 11.8).
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "planted_bias.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

constexpr double level = suite_budget.level();

// ---- known values

TEST(ChiSquared, KnownValue) {
  // Mendel's peas: 315, 101, 108, 32 for 9:3:3:1; statistic 0.470, p = 0.9254.
  const Counts counts{315, 101, 108, 32};
  const std::vector<double> expected{9 / 16.0, 3 / 16.0, 3 / 16.0, 1 / 16.0};
  const StatisticalReport report = chi_squared(counts, expected);
  EXPECT_EQ(report.name, "chi_squared");
  EXPECT_NEAR(report.statistic, 0.470024, 1e-6);
  EXPECT_EQ(report.degrees_of_freedom, 3);
  EXPECT_NEAR(report.p_value, 0.925426, 1e-6);
  EXPECT_EQ(report.samples, 556);
}

TEST(ChiSquared, MergesSmallCellsAndSkipsNone) {
  // 10 samples: cells {0, 1} and {2, 3, 4}, because the last item alone is too small for a cell.
  const Counts counts{5, 0, 2, 2, 1};
  const std::vector<double> expected{0.4, 0.1, 0.2, 0.3, 0};
  const StatisticalReport impossible = chi_squared(counts, expected);
  EXPECT_EQ(impossible.p_value, 0);
  EXPECT_NE(impossible.detail.find("item 4"), std::string::npos) << impossible.detail;

  const Counts possible{5, 0, 3, 2, 0};
  const StatisticalReport report = chi_squared(possible, expected);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  EXPECT_EQ(report.statistic, 0);
  // The rest at the end, 4 of 24 samples, joins the last cell: {0} 12 of 12, {1, 2} 12 of 12.
  // Omitting it, or making it a cell of its own, would change the statistic.
  const std::vector<double> tail{0.5, 0.375, 0.125};
  const StatisticalReport joined = chi_squared(Counts{12, 2, 10}, tail);
  EXPECT_EQ(joined.degrees_of_freedom, 1);
  EXPECT_EQ(joined.statistic, 0);
  EXPECT_DOUBLE_EQ(chi_squared(Counts{12, 2, 4}, tail).statistic, 2);
  // An empty cell contributes its full expected count: 5 if 10 samples of 15 fall into the first.
  const Counts empty_cell{10, 0, 0};
  const StatisticalReport lacking = chi_squared(empty_cell, std::vector<double>{0.5, 0.25, 0.25});
  EXPECT_DOUBLE_EQ(lacking.statistic, 10);
  EXPECT_NEAR(lacking.p_value, 0.0015654, 1e-7);
}

TEST(ChiSquared, OneCellProvesNothing) {
  EXPECT_EQ(chi_squared(Counts{3, 0}, std::vector<double>{0.5, 0.5}).p_value, 1);
  EXPECT_EQ(chi_squared(Counts{1000}, std::vector<double>{1}).p_value, 1);
  EXPECT_EQ(chi_squared(Counts{0, 0}, std::vector<double>{0.5, 0.5}).p_value, 1);
}

TEST(ChiSquaredTwoSample, KnownValue) {
  // 2 x 2 table {30, 20; 15, 35}: chi-squared 9.0909, one degree of freedom.
  const StatisticalReport report = chi_squared_two_sample(Counts{30, 20}, Counts{15, 35});
  EXPECT_NEAR(report.statistic, 9.090909, 1e-6);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  EXPECT_NEAR(report.p_value, 0.0025688, 1e-6);
  // Unequal sizes: {10, 10; 60, 20} has 100 (10 * 20 - 10 * 60)^2 / (20 * 80 * 70 * 30).
  EXPECT_NEAR(chi_squared_two_sample(Counts{10, 10}, Counts{60, 20}).statistic, 4.761905, 1e-6);
  EXPECT_EQ(chi_squared_two_sample(Counts{10, 10}, Counts{0, 0}).p_value, 1);
  // Cells must hold enough of the smaller sample: with 10 and 1000 samples, single items would hold
  // 2.5 each.
  const Counts few{4, 1, 3, 2};
  const Counts many{250, 250, 250, 250};
  EXPECT_EQ(chi_squared_two_sample(few, many).degrees_of_freedom, 1);
  EXPECT_EQ(chi_squared_two_sample(many, few).degrees_of_freedom, 1);
}

TEST(KolmogorovSmirnov, KnownValue) {
  // A distance of 0.0136 in 10,000 samples: the 5% point of Kolmogorov's distribution is
  // 1.358 / sqrt(n).
  const StatisticalReport report =
      kolmogorov_smirnov(Counts{3642, 6358}, std::vector<double>{0.5, 0.5});
  EXPECT_NEAR(report.statistic, 0.1358, 1e-12);
  const StatisticalReport smaller =
      kolmogorov_smirnov(Counts{36420, 63580}, std::vector<double>{0.3778, 0.6222});
  EXPECT_NEAR(smaller.statistic, 0.0136, 1e-12);
  const StatisticalReport critical =
      kolmogorov_smirnov(Counts{4864, 5136}, std::vector<double>{0.5, 0.5});
  EXPECT_NEAR(critical.statistic, 0.0136, 1e-12);
  EXPECT_NEAR(critical.p_value, 0.0495, 1e-3);
  EXPECT_EQ(kolmogorov_smirnov(Counts{5, 5}, std::vector<double>{0.5, 0.5}).p_value, 1);
  EXPECT_EQ(kolmogorov_smirnov(Counts{5, 1}, std::vector<double>{1, 0}).p_value, 0);
}

TEST(KolmogorovSmirnovTwoSample, KnownValue) {
  // n = m = 20000 are equivalent to 10000 samples.
  const StatisticalReport report =
      kolmogorov_smirnov_two_sample(Counts{9728, 10272}, Counts{10000, 10000});
  EXPECT_NEAR(report.statistic, 0.0136, 1e-12);
  EXPECT_EQ(report.samples, 10000);
  EXPECT_NEAR(report.p_value, 0.0495, 1e-3);
}

TEST(WorstItem, KnownValue) {
  // 10 fair coins, all heads: each of the two counts has a tail of 2 / 1024, two of them.
  const StatisticalReport report = worst_item(Counts{10, 0}, std::vector<double>{0.5, 0.5});
  EXPECT_NEAR(report.p_value, 2 * 2 / 1024.0, 1e-12);
  // One sample of an item with expected count 0.001, among 1000 such items: not significant.
  Counts counts(1000, 0);
  counts[17] = 1;
  EXPECT_EQ(worst_item(counts, std::vector<double>(1000, 0.001)).p_value, 1);
  EXPECT_EQ(worst_item(Counts{10}, std::vector<double>{1}).p_value, 1);
  EXPECT_EQ(worst_item(Counts{10, 1}, std::vector<double>{1, 0}).p_value, 0);
}

TEST(WorstItem, ShortcutForManyItemsChangesNothing) {
  // With 10^4 items the tail of every item is computed; with 20000 the ordinary ones are skipped.
  for (const Index n : {10'000U, 20'000U}) {
    Counts counts(n, 100);
    counts.at(5) = 170;
    counts.at(6) = 30;
    const StatisticalReport report = worst_item(counts, std::vector<double>(n, 1.0 / n));
    EXPECT_NE(report.detail.find("item 6 "), std::string::npos) << report.detail;
    // 2 P(X <= 30) of a binomial(10^6, 10^-4), and of a binomial(2 * 10^6, 10^-4 / 2).
    EXPECT_NEAR(report.p_value / n, 3.976e-16, 0.01e-16) << n;
  }
}

TEST(WorstItem, LooksAtTheFirstAndTheLast) {
  for (const Index n : {100U, 20'000U}) {
    for (const Index odd : {Index{0}, n - 1}) {
      Counts counts(n, 100);
      counts[odd] = 200;
      const StatisticalReport report = worst_item(counts, std::vector<double>(n, 1.0 / n));
      EXPECT_FALSE(report.passes(level)) << n;
      EXPECT_NE(report.detail.find("item " + std::to_string(odd) + " "), std::string::npos)
          << report.detail;
    }
  }
}

TEST(PairIndependence, KnownValue) {
  // Pairs (0,0) 30, (0,1) 20, (1,0) 15, (1,1) 35.
  std::vector<Index> samples;
  const auto add = [&](Index first, Index second, int times) {
    for (int k = 0; k < times; ++k) samples.insert(samples.end(), {first, second});
  };
  add(0, 0, 30);
  add(0, 1, 20);
  add(1, 0, 15);
  add(1, 1, 35);
  const StatisticalReport report = pair_independence(samples, std::vector<double>{0.5, 0.5});
  EXPECT_NEAR(report.statistic, 9.090909, 1e-6);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  EXPECT_EQ(report.samples, 100);
  // At lag 2 the pairs are (x0, x2), (x1, x3), ...
  EXPECT_EQ(pair_independence(samples, std::vector<double>{0.5, 0.5}, {.lag = 2}).samples, 100);
  EXPECT_THROW(
      static_cast<void>(pair_independence(samples, std::vector<double>{0.5, 0.5}, {.lag = 0})),
      Error);
  EXPECT_THROW(static_cast<void>(pair_independence(samples, std::vector<double>{1.0})), Error);
  EXPECT_EQ(pair_independence(std::vector<Index>{0, 1, 0}, std::vector<double>{0.5, 0.5}).p_value,
            1);
}

TEST(Statistics, SamplesAreAddedToEarlierCounts) {
  Counts counts = count_samples(std::vector<Index>{0, 2, 2}, 3);
  add_samples(std::vector<Index>{2, 1}, counts);
  EXPECT_EQ(counts, (Counts{1, 1, 3}));
}

TEST(Statistics, RefuseWhatDoesNotMatch) {
  const Counts two{1, 1};
  const std::vector<double> three{0.2, 0.3, 0.5};
  EXPECT_THROW(static_cast<void>(chi_squared(two, three)), Error);
  EXPECT_THROW(static_cast<void>(worst_item(two, three)), Error);
  EXPECT_THROW(static_cast<void>(kolmogorov_smirnov(two, three)), Error);
  EXPECT_THROW(static_cast<void>(chi_squared_two_sample(two, Counts{1})), Error);
  EXPECT_THROW(static_cast<void>(kolmogorov_smirnov_two_sample(Counts{}, Counts{})), Error);
  try {
    static_cast<void>(count_samples(std::vector<Index>{0, 1, 7}, 3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "sample 2 is 7, not one of the 3 items");
  }
}

TEST(Statistics, ExpectedProbabilitiesAddUpToOne) {
  for (const WeightFamily& family : weight_families()) {
    const std::vector<double> p = expected_probabilities(family.make(1000));
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12) << family.name;
  }
}

TEST(FalseAlarms, FailuresAreThoseBelowTheLevel) {
  std::vector<StatisticalReport> reports(3);
  reports[0].name = "above";
  reports[0].p_value = level * 1.01;
  reports[1].name = "at";
  reports[1].p_value = level;
  EXPECT_EQ(failures(reports, level), "");
  reports[2].name = "below";
  reports[2].p_value = level * 0.99;
  const std::string lines = failures(reports, level);
  EXPECT_NE(lines.find("below"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("above"), std::string::npos) << lines;
}

TEST(FalseAlarms, BudgetIsDivided) {
  constexpr FalseAlarmBudget budget(1e-3, 50);
  EXPECT_DOUBLE_EQ(budget.level(), 2e-5);
  StatisticalReport report;
  report.p_value = 2e-5;
  EXPECT_TRUE(report.passes(budget.level()));
  report.p_value = 1.9e-5;
  EXPECT_FALSE(report.passes(budget.level()));
}

// ---- calibration: under the null hypothesis P(p <= a) must be at most a

class PValues : public testing::Test {
 protected:
  static constexpr int repeats = 4000;
  static constexpr std::size_t samples = 2000;

  /// The fractions of p-values of correct samples that are at most 0.01 and at most 0.1.
  template <class Test>
  static void fractions(const std::vector<double>& weights, const Test& test, double& at_1,
                        double& at_10) {
    const HostTable table = built_table(weights);
    const std::vector<double> p = expected_probabilities(weights);
    int below_1 = 0;
    int below_10 = 0;
    for (int k = 0; k < repeats; ++k) {
      const auto drawn = draw(table, samples, {77, static_cast<std::uint64_t>(k) * samples});
      const double value = test(drawn, p).p_value;
      below_1 += value <= 0.01 ? 1 : 0;
      below_10 += value <= 0.1 ? 1 : 0;
    }
    at_1 = static_cast<double>(below_1) / repeats;
    at_10 = static_cast<double>(below_10) / repeats;
  }
  // Five standard deviations of a binomial fraction.
  static constexpr double slack_1 = 5 * 0.00157;
  static constexpr double slack_10 = 5 * 0.00474;
};

TEST_F(PValues, OfChiSquaredAreUniform) {
  double at_1 = 0;
  double at_10 = 0;
  fractions(
      find_weight_family("powerlaw_1").make(50),
      [](const auto& drawn, const auto& p) {
        return chi_squared(count_samples(drawn, static_cast<Index>(p.size())), p);
      },
      at_1, at_10);
  EXPECT_NEAR(at_1, 0.01, slack_1);
  EXPECT_NEAR(at_10, 0.1, slack_10);
}

TEST_F(PValues, OfPairIndependenceAreUniform) {
  double at_1 = 0;
  double at_10 = 0;
  fractions(
      find_weight_family("uniform").make(40),
      [](const auto& drawn, const auto& p) { return pair_independence(drawn, p); }, at_1, at_10);
  EXPECT_NEAR(at_1, 0.01, slack_1);
  EXPECT_NEAR(at_10, 0.1, slack_10);
}

TEST_F(PValues, OfKolmogorovSmirnovAreUniformWithManyItems) {
  double at_1 = 0;
  double at_10 = 0;
  fractions(
      find_weight_family("uniform").make(10'000),
      [](const auto& drawn, const auto& p) {
        return kolmogorov_smirnov(count_samples(drawn, static_cast<Index>(p.size())), p);
      },
      at_1, at_10);
  EXPECT_NEAR(at_1, 0.01, slack_1);
  EXPECT_NEAR(at_10, 0.1, slack_10);
}

TEST_F(PValues, OfKolmogorovSmirnovAreConservativeWithTies) {
  double at_1 = 0;
  double at_10 = 0;
  fractions(
      {1, 2, 3},
      [](const auto& drawn, const auto& p) {
        return kolmogorov_smirnov(count_samples(drawn, 3), p);
      },
      at_1, at_10);
  EXPECT_LE(at_1, 0.01 + slack_1);
  EXPECT_LE(at_10, 0.1);
  EXPECT_GT(at_10, 0.001) << "so conservative that it says nothing";
}

TEST_F(PValues, OfWorstItemAreNeverTooSmall) {
  double at_1 = 0;
  double at_10 = 0;
  fractions(
      find_weight_family("powerlaw_1").make(1000),
      [](const auto& drawn, const auto& p) { return worst_item(count_samples(drawn, 1000), p); },
      at_1, at_10);
  EXPECT_LE(at_1, 0.01 + slack_1);
  EXPECT_LE(at_10, 0.1 + slack_10);
  EXPECT_GT(at_10, 0.01) << "so conservative that it says nothing";
}

TEST_F(PValues, OfTwoSampleTestsAreUniform) {
  const HostTable table = built_table(find_weight_family("uniform").make(5000));
  int chi_squared_below = 0;
  int kolmogorov_below = 0;
  constexpr int pairs = 2000;
  for (std::uint64_t k = 0; k < pairs; ++k) {
    const Counts first = count_samples(draw(table, 3000, {5, k * 3000}), 5000);
    const Counts second = count_samples(draw(table, 2000, {6, k * 2000}), 5000);
    chi_squared_below += chi_squared_two_sample(first, second).p_value <= 0.1 ? 1 : 0;
    kolmogorov_below += kolmogorov_smirnov_two_sample(first, second).p_value <= 0.1 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(chi_squared_below) / pairs, 0.1, 5 * 0.0067);
  EXPECT_NEAR(static_cast<double>(kolmogorov_below) / pairs, 0.1, 5 * 0.0067);
}

// ---- power: planted faults, tested like samples in the sampling suite

/// Names of the tests that fail, in the order of `test_samples`.
std::string failed_tests(const std::vector<Index>& samples, WeightsView weights) {
  std::string names;
  for (const StatisticalReport& report : test_samples(samples, weights)) {
    if (!report.passes(level)) names += report.name + " ";
  }
  return names;
}

TEST(PlantedBias, CorrectSamplesPass) {
  for (const char* family : {"equal_one", "uniform", "powerlaw_1", "one_heavy_first"}) {
    for (const Index n : {2U, 64U, 1000U}) {
      const std::vector<double> weights = find_weight_family(family).make(n);
      EXPECT_EQ(failed_tests(draw(built_table(weights), 1'000'000, {8, 0}), weights), "")
          << family << " " << n;
    }
  }
}

TEST(PlantedBias, OneItemTwoPercentTooHeavyIsSeenByWorstItem) {
  // 4*10^5 expected draws: 2% are 8000, 12.6 standard deviations.
  const std::vector<double> weights(64, 1.0);
  std::vector<double> biased = weights;
  biased[40] = 1.02;
  constexpr std::size_t samples = std::size_t{64} * 400'000;
  EXPECT_EQ(failed_tests(draw(built_table(weights), samples, {9, 0}), weights), "");
  const std::string failed = failed_tests(draw(built_table(biased), samples, {9, 0}), weights);
  EXPECT_NE(failed.find("worst_item"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, OneItemNeverDrawnIsSeenByWorstItem) {
  // 100 draws of it are expected; none occur with probability e^-100. Chi-squared over 1000 cells
  // rises by 100, two standard deviations, and does not detect it.
  const std::vector<double> weights(1000, 1.0);
  std::vector<double> biased = weights;
  biased[123] = 0;
  EXPECT_EQ(failed_tests(draw(built_table(biased), 100'000, {10, 0}), weights), "worst_item ");
}

TEST(PlantedBias, OneItemDrawnInsteadOfAnotherIsSeenByWorstItem) {
  // Item 499 receives the draws of 500, twice its own: both deviate by 10 sqrt(1000), 31 standard
  // deviations.
  const std::vector<double> weights(1000, 1.0);
  std::vector<Index> samples = draw(built_table(weights), 1'000'000, {11, 0});
  for (Index& sample : samples) sample = sample == 500 ? 499 : sample;
  const std::string failed = failed_tests(samples, weights);
  EXPECT_NE(failed.find("worst_item"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, ZeroWeightItemDrawnOnceIsSeenByTheTestsOfCounts) {
  const std::vector<double> weights{1, 0, 1, 1, 1, 1, 1, 1};
  std::vector<Index> samples = draw(built_table(weights), 1'000'000, {12, 0});
  EXPECT_EQ(failed_tests(samples, weights), "");
  samples[777] = 1;
  EXPECT_EQ(failed_tests(samples, weights), "chi_squared worst_item kolmogorov_smirnov ");
}

TEST(PlantedBias, CoinThatIsTheIndexIsSeenByChiSquaredAndWorstItem) {
  // Rows in the lower half always accept too rarely: masses are off by tens of percent.
  for (const char* family : {"uniform", "powerlaw_1_shuffled", "ramp"}) {
    const std::vector<double> weights = find_weight_family(family).make(1000);
    const std::string failed =
        failed_tests(draw_with_correlated_coin(built_table(weights), 1'000'000, {13, 0}), weights);
    EXPECT_NE(failed.find("chi_squared"), std::string::npos) << family << ": " << failed;
    EXPECT_NE(failed.find("worst_item"), std::string::npos) << family << ": " << failed;
  }
}

TEST(PlantedBias, TooFewBitsForTheRowAreSeenByChiSquared) {
  // 2^16 = 43 * 1500 + 1036: the first 1036 rows are 1/43 too frequent. Over 3*10^6 samples that
  // adds 3*10^6 * 0.69 * 0.31 / 43.7^2 = 336 to a statistic of 1499 +- 55, six deviations; with
  // 3*10^7 samples it is sixty.
  const std::vector<double> weights(1500, 1.0);
  const std::string failed =
      failed_tests(draw_with_few_bits(built_table(weights), 30'000'000, {14, 0}), weights);
  EXPECT_NE(failed.find("chi_squared"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, AliasOffByOneIsSeenByChiSquaredAndWorstItem) {
  const std::vector<double> weights = find_weight_family("powerlaw_1_shuffled").make(1000);
  const HostTable table = changed(built_table(weights),
                                  [](Index, WideRow& row) { row.alias = (row.alias + 1) % 1000; });
  const std::string failed = failed_tests(draw(table, 1'000'000, {15, 0}), weights);
  EXPECT_NE(failed.find("chi_squared"), std::string::npos) << "failed: " << failed;
  EXPECT_NE(failed.find("worst_item"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, ItemsOffByOneAreSeenByKolmogorovSmirnov) {
  // A ramp, shifted by one item: each value of the distribution function is off by the probability
  // of one item, at most 2/N = 0.002; 3 * 10^7 samples detect 3.8 / sqrt(n) = 0.0007.
  const std::vector<double> weights = find_weight_family("ramp").make(1000);
  std::vector<Index> samples = draw(built_table(weights), 30'000'000, {16, 0});
  for (Index& sample : samples) sample = (sample + 1) % 1000;
  const std::string failed = failed_tests(samples, weights);
  EXPECT_NE(failed.find("kolmogorov_smirnov"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, DriftIsSeenByKolmogorovSmirnov) {
  // The first half of a million items is 1% too frequent: the distance is 0.5 * 0.005 in the
  // middle, sixteen times the usual 1 / sqrt(10^7); worst_item does not see it among a million
  // cells of ten draws each.
  const std::vector<double> weights(1'000'000, 1.0);
  std::vector<double> biased = weights;
  for (std::size_t i = 0; i < 500'000; ++i) biased[i] = 1.01;
  const std::string failed = failed_tests(draw(built_table(biased), 10'000'000, {17, 0}), weights);
  EXPECT_NE(failed.find("kolmogorov_smirnov"), std::string::npos) << "failed: " << failed;
  EXPECT_EQ(failed.find("worst_item"), std::string::npos) << "failed: " << failed;
}

TEST(PlantedBias, RepeatedSamplesAreSeenByPairIndependence) {
  // One sample in fifty repeats its predecessor: the distribution is correct, the pairs are not. A
  // table of b^2 cells rises by pairs * 0.02^2 * (b - 1) = 6200 over 961 +- 44.
  const std::vector<double> weights = find_weight_family("uniform").make(1000);
  std::vector<Index> samples = draw(built_table(weights), 1'000'000, {18, 0});
  for (std::size_t k = 1; k < samples.size(); ++k) {
    if (random::philox_word(19, k) % 50 == 0) samples[k] = samples[k - 1];
  }
  EXPECT_EQ(failed_tests(samples, weights), "pair_independence_1 ");
}

TEST(PlantedBias, SamplesOfTwoTablesAreToldApart) {
  const std::vector<double> weights = find_weight_family("uniform").make(100);
  std::vector<double> other = weights;
  for (std::size_t i = 0; i < 50; ++i) other[i] *= 1.05;
  const auto counts_of = [](const std::vector<double>& w, std::uint64_t seed) {
    return count_samples(draw(built_table(w), 1'000'000, {seed, 0}), 100);
  };
  const Counts first = counts_of(weights, 20);
  EXPECT_TRUE(chi_squared_two_sample(first, counts_of(weights, 21)).passes(level));
  EXPECT_TRUE(kolmogorov_smirnov_two_sample(first, counts_of(weights, 21)).passes(level));
  // 1.2% of the mass moves: distance 0.012 sqrt(500000) = 8.6.
  EXPECT_FALSE(chi_squared_two_sample(first, counts_of(other, 21)).passes(level));
  EXPECT_FALSE(kolmogorov_smirnov_two_sample(first, counts_of(other, 21)).passes(level));
}

}  // namespace
}  // namespace wrsgpu::verification
