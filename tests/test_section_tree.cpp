// The distribution of samples among the sections of a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/sampling/section_tree.hpp"

namespace wrsgpu {
namespace {

using verification::Counts;

Counts counts_of(const SectionTree& tree) {
  Counts counts;
  for (Index section = 0; section < tree.sections().count(); ++section) {
    counts.push_back(tree.share(section).samples);
  }
  return counts;
}

std::vector<double> probabilities_of(const split::Sections& sections) {
  std::vector<double> p;
  for (Index section = 0; section < sections.count(); ++section) {
    p.push_back(static_cast<double>(sections.start(section + 1) - sections.start(section)) /
                sections.size);
  }
  return p;
}

TEST(SectionTree, SharesFollowOneAnotherAndAddUp) {
  for (const SectionCounts counts : {SectionCounts::exact, SectionCounts::normal_approximation}) {
    for (const Index size : {1U, 2U, 3U, 1000U, 1023U, 1024U, 1025U, 65'537U, 4'294'967'294U}) {
      for (const Index rows : {1U, 3U, 7U, 1000U, 7168U, 1'000'000'000U}) {
        const split::Sections sections{size, rows};
        if (sections.count() > 1500) continue;
        for (const std::uint64_t samples : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{37},
                                            std::uint64_t{1000}, std::uint64_t{1} << 40}) {
          SCOPED_TRACE(std::to_string(size) + " rows in sections of " + std::to_string(rows) +
                       ", " + std::to_string(samples) + " samples");
          const SectionTree tree(sections, samples, {7, samples}, counts);
          std::uint64_t next = 0;
          for (Index section = 0; section < sections.count(); ++section) {
            const SectionShare share = tree.share(section);
            if (share.samples > 0) {
              ASSERT_EQ(share.first_sample, next) << "section " << section;
            }
            next += share.samples;
          }
          ASSERT_EQ(next, samples);
        }
      }
    }
  }
}

/// The initial content must not matter: on the device a walk starts in memory used by other blocks.
SectionWalk used_walk() {
  SectionWalk walk;
  std::memset(static_cast<void*>(&walk), 0xEE, sizeof walk);
  return walk;
}

TEST(SectionWalk, GivesTheSharesOfTheTree) {
  for (const Index size : {1U, 2U, 3U, 1000U, 4097U}) {
    for (const Index rows : {1U, 7U, 100U}) {
      const split::Sections sections{size, rows};
      for (const std::uint64_t samples : {1U, 5U, 100'000U}) {
        const SectionTree tree(sections, samples, {7, samples}, SectionCounts::exact);
        for (const Index first : {Index{0}, sections.count() / 3, sections.count() - 1}) {
          SectionWalk walk = used_walk();
          walk.start(tree, first);
          for (Index section = first; section < sections.count(); ++section) {
            const SectionShare expected = tree.share(section);
            const SectionShare share = walk.next(tree);
            ASSERT_EQ(share.samples, expected.samples) << section << " of " << sections.count();
            if (share.samples > 0) {
              ASSERT_EQ(share.first_sample, expected.first_sample) << section;
            }
          }
        }
      }
    }
  }
  // The maximum depth.
  const split::Sections sections{max_items, 1};
  const SectionTree tree(sections, 1'000'000'000'000, {8, 0}, SectionCounts::exact);
  for (const Index first : {Index{0}, sections.count() / 2 - 50, sections.count() - 100}) {
    SectionWalk walk = used_walk();
    walk.start(tree, first);
    for (Index section = first; section < first + 100; ++section) {
      const SectionShare share = walk.next(tree);
      ASSERT_EQ(share.samples, tree.share(section).samples) << section;
      ASSERT_EQ(share.first_sample, tree.share(section).first_sample) << section;
    }
  }
}

TEST(SectionTree, DependsOnSeedOffsetAndNothingElse) {
  const split::Sections sections{100'000, 777};
  const auto counts = [&](RandomState state) {
    return counts_of(SectionTree(sections, 1'000'000, state, SectionCounts::exact));
  };
  EXPECT_EQ(counts({1, 0}), counts({1, 0}));
  EXPECT_NE(counts({1, 0}), counts({2, 0}));
  EXPECT_NE(counts({1, 0}), counts({1, 1}));
  EXPECT_NE(counts({1, 0}), counts({1, 1'000'000}));
}

/// The fractions of 4,000 trees whose chi-squared test has a p-value of at most 0.01 or of at least
/// 0.99: counts that vary too much or too little.
std::pair<double, double> tails(const split::Sections& sections, std::uint64_t samples,
                                SectionCounts counts) {
  constexpr int trees = 4000;
  const std::vector<double> p = probabilities_of(sections);
  int low = 0;
  int high = 0;
  for (int k = 0; k < trees; ++k) {
    const SectionTree tree(sections, samples, {11, static_cast<std::uint64_t>(k)}, counts);
    const double value = verification::chi_squared(counts_of(tree), p).p_value;
    low += value <= 0.01 ? 1 : 0;
    high += value >= 0.99 ? 1 : 0;
  }
  return {static_cast<double>(low) / trees, static_cast<double>(high) / trees};
}
// Five standard deviations of a fraction of 0.01 in 4,000: a false-alarm rate of 10^-6.
constexpr double slack = 5 * 0.00157;

TEST(SectionTree, CountsAreMultinomial) {
  for (const split::Sections& sections :
       {split::Sections{1000, 100}, split::Sections{1000, 99}, split::Sections{1003, 100},
        split::Sections{64, 1}, split::Sections{5, 2}}) {
    const auto [low, high] =
        tails(sections, std::uint64_t{20} * sections.count() * 10, SectionCounts::exact);
    EXPECT_NEAR(low, 0.01, slack) << sections.size << " rows, sections of "
                                  << sections.section_items;
    EXPECT_NEAR(high, 0.01, slack)
        << sections.size << " rows, sections of " << sections.section_items;
  }
}

TEST(SectionTree, ShortSectionsGetTheirShareOnly) {
  // Sections of 7, 7 and 1 row; splitting the sections evenly would give the last one a quarter.
  const split::Sections sections{15, 7};
  Counts sum(3, 0);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const Counts counts = counts_of(SectionTree(sections, 1000, {13, k}, SectionCounts::exact));
    for (std::size_t s = 0; s < 3; ++s) sum[s] += counts[s];
  }
  EXPECT_TRUE(verification::chi_squared(sum, probabilities_of(sections))
                  .passes(verification::suite_budget.level()));
}

// The deviates of the thesis: correct in mean and variance, but rounding and clamping are visible
// where a half expects few samples.
TEST(SectionTree, NormalApproximationIsBiasedWhereSamplesAreFew) {
  const split::Sections sections{1000, 10};
  // The number of 100 samples that fall in the first of 100 sections: binomial, with five and more
  // combined.
  constexpr std::size_t maximum = 5;
  std::vector<double> p(maximum + 1, 0.0);
  double rest = 1;
  double probability = std::pow(0.99, 100);
  for (std::size_t k = 0; k < maximum; ++k) {
    p[k] = probability;
    rest -= probability;
    probability *= static_cast<double>(100 - k) / static_cast<double>(k + 1) * (0.01 / 0.99);
  }
  p[maximum] = rest;
  const auto test = [&](SectionCounts counts) {
    Counts seen(maximum + 1, 0);
    for (std::uint64_t k = 0; k < 200'000; ++k) {
      ++seen[std::min<std::uint64_t>(SectionTree(sections, 100, {17, k}, counts).share(0).samples,
                                     maximum)];
    }
    return verification::chi_squared(seen, p).passes(verification::suite_budget.level());
  };
  EXPECT_TRUE(test(SectionCounts::exact));
  EXPECT_FALSE(test(SectionCounts::normal_approximation));
}

}  // namespace
}  // namespace wrsgpu
