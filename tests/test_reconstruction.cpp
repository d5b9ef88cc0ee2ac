// verify_table accepts all correct tables and rejects all others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "planted_bias.hpp"
#include "variant_printing.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

bool is_heavy(const std::vector<double>& weights, Index i) {
  return weights[i] * static_cast<double>(weights.size()) >
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

class PlantedFault : public testing::TestWithParam<Arithmetic> {
 protected:
  static constexpr Index n = 1000;

  [[nodiscard]] static TableReport report_of(const HostTable& table) {
    return verify_table(table, GetParam(), weights());
  }
  /// The report for a correct table after `change`.
  [[nodiscard]] static TableReport report_after(
      const std::function<void(Index i, WideRow& row)>& change) {
    return report_of(changed(correct(), change));
  }
  [[nodiscard]] static HostTable correct() {
    return built_table(weights(), {.arithmetic = GetParam(), .threads = 1});
  }
  [[nodiscard]] static const std::vector<double>& weights() {
    static const std::vector<double> w = [] {
      std::vector<double> shuffled = find_weight_family("powerlaw_1_shuffled").make(n);
      shuffled[0] = 0;
      return shuffled;
    }();
    return w;
  }
  /// A row that shares its bucket between two items.
  [[nodiscard]] static Index shared_row() {
    Index found = 0;
    static_cast<void>(changed(correct(), [&](Index i, WideRow& row) {
      if (row.weight > 0 && row.alias != i) found = i;
    }));
    return found;
  }
};

// A bound of several buckets reproduces the situation at 10^8 items.
TEST_P(PlantedFault, LightItemsAreCheckedWhereTheBoundExceedsABucket) {
  if (GetParam() == Arithmetic::fixed_point) GTEST_SKIP() << "exact tables have no such bound";
  const VerifyOptions loose{.prefix_roundings = 0x1p+51 / n * 4};
  const double bucket = correct().bucket();
  ASSERT_GT(verify_table(correct(), GetParam(), weights(), loose).bound, 1);
  EXPECT_TRUE(verify_table(correct(), GetParam(), weights(), loose).ok);
  const auto never_drawn = changed(correct(), [&](Index i, WideRow& row) {
    if (i >= 500 && weights()[i] < 0.9 * bucket) row.weight = 0;
  });
  EXPECT_FALSE(verify_table(never_drawn, GetParam(), weights(), loose).ok);
  const auto full = changed(correct(), [&](Index i, WideRow& row) {
    if (i >= 500 && weights()[i] > 0 && weights()[i] < bucket) row = {bucket, i, 0};
  });
  EXPECT_FALSE(verify_table(full, GetParam(), weights(), loose).ok);
}

TEST_P(PlantedFault, NoneIsFoundInACorrectTable) {
  const TableReport report = report_of(correct());
  EXPECT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.message, "");
  EXPECT_LE(report.worst_error, report.bound);
  EXPECT_GT(report.bound, 0);
  EXPECT_LT(report.bound, 1e-8);
  EXPECT_EQ(report.wrong_items + report.drawn_zero_items + report.broken_rows, 0U);
}

TEST_P(PlantedFault, OneItemTwoPercentTooHeavy) {
  const Index target = shared_row();
  const TableReport report = report_after([&](Index i, WideRow& row) {
    if (i == target) row.weight *= 1.02;
    if (GetParam() == Arithmetic::fixed_point) row.weight = std::floor(row.weight);
  });
  EXPECT_FALSE(report.ok);
  EXPECT_GE(report.wrong_items, 1U);
  EXPECT_FALSE(report.message.empty());
  EXPECT_GT(report.worst_error, 1e-6);
}

TEST_P(PlantedFault, TheLeastPossibleError) {
  // One unit of a fixed-point mass, or two units in the last place of a floating-point mass.
  const Index target = shared_row();
  const TableReport report = report_after([&](Index i, WideRow& row) {
    if (i != target) return;
    row.weight += GetParam() == Arithmetic::fixed_point ? 1 : row.weight * 0x1p-51;
  });
  EXPECT_FALSE(report.ok);
  const char* rule = GetParam() == Arithmetic::fixed_point ? "quantises to" : "exactly";
  EXPECT_NE(report.message.find(rule), std::string::npos) << report.message;
}

TEST_P(PlantedFault, OneItemNeverDrawn) {
  const TableReport report = report_after([&](Index i, WideRow& row) {
    if (i == 17) row.weight = 0;
    if (row.alias == 17) row.alias = 18;
  });
  EXPECT_FALSE(report.ok);
}

TEST_P(PlantedFault, AliasesOffByOne) {
  const TableReport report = report_after([&](Index i, WideRow& row) {
    if (row.alias != i) row.alias = (row.alias + 1) % n;
  });
  EXPECT_FALSE(report.ok);
  EXPECT_GT(report.wrong_items, 10U);
}

TEST_P(PlantedFault, OneAliasOfAnotherHeavyItem) {
  const Index target = shared_row();
  Index other = 0;
  static_cast<void>(changed(correct(), [&](Index i, WideRow& row) {
    if (i == target) return;
    if (row.alias != i) other = row.alias;
  }));
  const TableReport report = report_after([&](Index i, WideRow& row) {
    if (i != target) return;
    row.alias = row.alias == other ? (other + 1) % n : other;
  });
  EXPECT_FALSE(report.ok);
}

TEST_P(PlantedFault, ZeroWeightItemDrawn) {
  const TableReport as_alias = report_after([&](Index i, WideRow& row) {
    if (i == shared_row()) row.alias = 0;
  });
  EXPECT_FALSE(as_alias.ok);
  EXPECT_EQ(as_alias.drawn_zero_items, 1U);
  EXPECT_NE(as_alias.message.find("item 0"), std::string::npos) << as_alias.message;
  const TableReport by_its_row = report_after([&](Index i, WideRow& row) {
    if (i == 0) row.weight = GetParam() == Arithmetic::fixed_point ? 1 : 0x1p-1000;
  });
  EXPECT_FALSE(by_its_row.ok);
  EXPECT_EQ(by_its_row.drawn_zero_items, 1U);
}

TEST_P(PlantedFault, BrokenRows) {
  const double bucket = correct().bucket();
  const auto broken = [&](const std::function<void(WideRow & row)>& change) {
    return report_after([&](Index i, WideRow& row) {
      if (i == 7) change(row);
    });
  };
  for (const TableReport& report :
       {broken([](WideRow& row) { row.alias = n; }),
        broken([](WideRow& row) { row.alias = 0xFFFF'FFFF; }),
        broken([](WideRow& row) { row.weight = -1; }),
        broken([&](WideRow& row) { row.weight = bucket * 1.5; }),
        broken([](WideRow& row) { row.weight = std::numeric_limits<double>::quiet_NaN(); })}) {
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.broken_rows, 1U);
    EXPECT_NE(report.message.find("row 7"), std::string::npos) << report.message;
  }
}

TEST_P(PlantedFault, BucketOfOtherWeights) {
  std::vector<double> doubled = weights();
  doubled[500] += 1e-9;
  const TableReport report =
      verify_table(built_table(doubled, {.arithmetic = GetParam()}), GetParam(), weights());
  EXPECT_FALSE(report.ok);
}

INSTANTIATE_TEST_SUITE_P(, PlantedFault,
                         testing::Values(Arithmetic::floating, Arithmetic::fixed_point),
                         [](const auto& instance) {
                           return std::string(to_string(instance.param));
                         });

// The bound is tight: a heavy item may deviate by less, but not by more.
TEST(VerifyTable, HeavyItemsMayBeOffByTheBound) {
  const std::vector<double> weights = find_weight_family("powerlaw_1_shuffled").make(1000);
  const HostTable table = built_table(weights);
  const TableReport report = verify_table(table, Arithmetic::floating, weights);
  // E of rule 4: at most a few thousand roundings of W = 1000 buckets.
  EXPECT_LT(report.bound, 1000 * 0x1p-53 * 4 * 2000);
  const auto off_by = [&](double buckets) {
    bool done = false;
    return verify_table(changed(table,
                                [&](Index i, WideRow& row) {
                                  // The row of a heavy item itself, shared with the next heavy
                                  // item.
                                  if (done || row.alias == i || row.weight == table.bucket())
                                    return;
                                  if (weights[i] / weights[row.alias] > 1e3) return;
                                  if (row.weight < 0.5 * table.bucket()) return;
                                  const double mean = table.bucket();
                                  if (!is_heavy(weights, i)) return;
                                  row.weight -= buckets * mean;
                                  done = true;
                                }),
                        Arithmetic::floating, weights);
  };
  EXPECT_TRUE(off_by(report.bound / 2).ok) << off_by(report.bound / 2).message;
  const TableReport too_far = off_by(report.bound * 4);
  EXPECT_FALSE(too_far.ok);
  EXPECT_NE(too_far.message.find("is allowed"), std::string::npos) << too_far.message;
}

// The exception of rule 3, for items that have a bucket to themselves, accumulates over all of
// them.
TEST(VerifyTable, LightItemsWithABucketAreCountedTogether) {
  const std::vector<double> weights = find_weight_family("powerlaw_1_shuffled").make(1000);
  const HostTable table = built_table(weights);
  const VerifyOptions loose{.prefix_roundings = 0x1p+51 / 1000 * 4};
  const TableReport correct = verify_table(table, Arithmetic::floating, weights, loose);
  ASSERT_TRUE(correct.ok) << correct.message;
  ASSERT_GT(correct.bound, 1);
  // Light rows become full, at most one for each heavy item, which loses less than a bucket.
  const auto fill = [&](double buckets) {
    std::vector<bool> robbed(weights.size(), false);
    double filled = 0;
    return verify_table(changed(table,
                                [&](Index i, WideRow& row) {
                                  if (is_heavy(weights, i) || row.alias == i) return;
                                  if (robbed[row.alias] || filled >= buckets) return;
                                  robbed[row.alias] = true;
                                  filled += 1 - row.weight / table.bucket();
                                  row = {table.bucket(), i, 0};
                                }),
                        Arithmetic::floating, weights, loose);
  };
  EXPECT_TRUE(fill(0.5 * correct.bound).ok) << fill(0.5 * correct.bound).message;
  const TableReport too_many = fill(2 * correct.bound);
  EXPECT_FALSE(too_many.ok);
  EXPECT_NE(too_many.message.find("in total"), std::string::npos) << too_many.message;
}

TEST(VerifyTable, BucketThatIsALittleTooLarge) {
  // Each row gives 2^-40 of a bucket too much, which alone would be taken for rounding.
  const std::vector<double> weights = find_weight_family("uniform").make(1000);
  HostTable table = built_table(weights);
  table.set_bucket(table.bucket() * (1 + 0x1p-40));
  const TableReport report = verify_table(table, Arithmetic::floating, weights);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.message.find("bucket holds"), std::string::npos) << report.message;
}

TEST(VerifyTable, FractionsInAFixedPointTable) {
  const std::vector<double> weights{1, 2, 3, 4};
  const HostTable table = changed(built_table(weights, {.arithmetic = Arithmetic::fixed_point}),
                                  [](Index i, WideRow& row) {
                                    if (i == 0) row.weight += 0.5;
                                  });
  const TableReport report = verify_table(table, Arithmetic::fixed_point, weights);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.broken_rows, 1U);
}

TEST(VerifyTable, FloatingTableIsNoFixedPointTable) {
  const std::vector<double> weights{1, 2, 3, 4};
  EXPECT_FALSE(verify_table(built_table(weights), Arithmetic::fixed_point, weights).ok);
}

TEST(VerifyTable, RefusesWeightsOfAnotherSize) {
  const HostTable table = built_table({1, 2, 3});
  try {
    static_cast<void>(verify_table(table, Arithmetic::floating, std::vector<double>{1, 2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "argument 'weights' has 2 items; the table has 3");
  }
  EXPECT_THROW(
      static_cast<void>(verify_table(table, Arithmetic::floating, std::vector<double>{1, -2, 3})),
      Error);
}

TEST(VerifyTable, ReportDoesNotDependOnThreads) {
  const std::vector<double> weights = find_weight_family("uniform").make(200'000);
  const HostTable table = built_table(weights);
  const TableReport one = verify_table(table, Arithmetic::floating, weights, {.threads = 1});
  for (const unsigned threads : {2U, 5U}) {
    const TableReport many =
        verify_table(table, Arithmetic::floating, weights, {.threads = threads});
    EXPECT_EQ(many.worst_item, one.worst_item);
    EXPECT_EQ(many.worst_error, one.worst_error);
    EXPECT_EQ(many.worst_relative_error, one.worst_relative_error);
    EXPECT_EQ(many.bound, one.bound);
    EXPECT_TRUE(many.ok && one.ok);
  }
}

TEST(VerifyProbabilities, Faults) {
  const std::vector<double> weights{1, 2, 0, 5};
  const auto report = [&](const std::vector<double>& probabilities) {
    return verify_probabilities(probabilities, Arithmetic::floating, weights);
  };
  EXPECT_TRUE(report({0.125, 0.25, 0, 0.625}).ok);
  EXPECT_FALSE(report({0.125, 0.25 + 1e-13, 0, 0.625}).ok);
  EXPECT_FALSE(report({0.125, 0.25, 0, std::numeric_limits<double>::quiet_NaN()}).ok);
  const TableReport zero = report({0.125, 0.25, 1e-300, 0.625});
  EXPECT_FALSE(zero.ok);
  EXPECT_EQ(zero.drawn_zero_items, 1U);
}

TEST(VerifyProbabilities, FixedPointAllowsNothingButTheQuantisedMasses) {
  const std::vector<double> weights{1, 2, 0, 4};
  const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
  const auto report = [&](std::uint64_t more_of_item_1, std::uint64_t of_item_2) {
    std::vector<double> probabilities;
    for (Index i = 0; i < 4; ++i) {
      const std::uint64_t change = i == 1 ? more_of_item_1 : i == 2 ? of_item_2 : 0;
      probabilities.push_back(static_cast<double>(masses[i] + change) * 0x1p-34);
    }
    return verify_probabilities(probabilities, Arithmetic::fixed_point, weights);
  };
  EXPECT_TRUE(report(0, 0).ok) << report(0, 0).message;
  EXPECT_FALSE(report(1, 0).ok);
  EXPECT_EQ(report(0, 1).drawn_zero_items, 1U);
}

}  // namespace
}  // namespace wrsgpu::verification
