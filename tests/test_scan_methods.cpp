// Methods that map a random word to an item monotonically: scans, cutpoint, lookup table, radix
// forest.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cpu_reference/cutpoint.hpp"
#include "cpu_reference/lookup_table.hpp"
#include "cpu_reference/radix_forest.hpp"
#include "cpu_reference/scan_binary.hpp"
#include "cpu_reference/scan_linear.hpp"
#include "try_build.hpp"
#include "variant_printing.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

constexpr std::uint64_t seed = 42;
constexpr std::uint64_t greatest_word = ~std::uint64_t{0};
using Wide = WideInteger;

std::vector<Index> draw(const SamplingAlgorithm& from, std::size_t samples, RandomState state) {
  std::vector<Index> out(samples, 0xFFFF'FFFFU);
  from.sample(out, state);
  return out;
}

/// Words at both ends, around multiples of 1/64 of the range, and random ones, in ascending order.
std::vector<std::uint64_t> words_to_try() {
  std::vector<std::uint64_t> words{
      0, 1, 2047, 2048, greatest_word - 2048, greatest_word - 1, greatest_word};
  for (std::uint64_t part = 1; part < 64; ++part) {
    for (const std::uint64_t shift : {0U, 1U, 2U}) words.push_back((part << 58) + shift - 1);
  }
  for (std::uint64_t i = 0; i < 2000; ++i) words.push_back(random::philox_word(seed, i));
  std::sort(words.begin(), words.end());
  return words;
}

/// One of the methods in one arithmetic.
class MonotoneSuite : public testing::TestWithParam<Variant> {
 protected:
  std::unique_ptr<SamplingAlgorithm> make(unsigned threads = 1) const {
    TableOptions options = GetParam().options;
    options.threads = threads;
    return GetParam().method->make(options);
  }
};

TEST_P(MonotoneSuite, ALargerWordNeverGivesASmallerItem) {
  const std::vector<std::uint64_t> words = words_to_try();
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 3U, 64U, 257U, 1000U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const auto built = make();
      if (!builds(*built, weights, *GetParam().method)) continue;
      const auto& method = dynamic_cast<const MonotoneMethod&>(*built);
      Index before = 0;
      for (const std::uint64_t word : words) {
        const Index item = method.find(word);
        ASSERT_GE(item, before) << "word " << word;
        ASSERT_LT(item, n) << "word " << word;
        ASSERT_GT(weights[item], 0) << "word " << word << " gives item " << item;
        before = item;
      }
    }
  }
}

TEST_P(MonotoneSuite, EqualWeightsDivideTheWordsEvenly) {
  const auto built = make();
  built->build(std::vector<double>(64, 0.5));
  const auto& method = dynamic_cast<const MonotoneMethod&>(*built);
  for (std::uint64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(method.find(i << 58), i);
    EXPECT_EQ(method.find((i << 58) + (greatest_word >> 6)), i);
  }
}

TEST_P(MonotoneSuite, SampleKIsTheItemOfWordK) {
  const auto built = make();
  built->build(find_weight_family("ramp").make(100));
  const auto& method = dynamic_cast<const MonotoneMethod&>(*built);
  const std::vector<Index> samples = draw(*built, 10'001, {seed, 7});
  for (std::size_t k = 0; k < samples.size(); ++k) {
    ASSERT_EQ(samples[k], method.find(random::SplitWords<>(seed).word(7 + k))) << "sample " << k;
  }
}

TEST_P(MonotoneSuite, SamplesDoNotDependOnThreadsOrOnTheLengthOfTheDraw) {
  const std::vector<double> weights = find_weight_family("ramp").make(257);
  const auto one = make(1);
  one->build(weights);
  const std::vector<Index> expected = draw(*one, 20'001, {seed, 3});
  for (const unsigned threads : {2U, 3U, 7U}) {
    const auto more = make(threads);
    more->build(weights);
    EXPECT_TRUE(draw(*more, 20'001, {seed, 3}) == expected) << threads << " threads";
    const std::vector<Index> some = draw(*more, 5'000, {seed, 3});
    EXPECT_TRUE(std::equal(some.begin(), some.end(), expected.begin()));
  }
}

TEST_P(MonotoneSuite, SamplesHaveTheDistributionOfTheWeights) {
  for (const char* family : {"ramp", "zeros_and_ones", "one_heavy_last", "uniform", "sixty_orders",
                             "powerlaw_1_shuffled", "denormal"}) {
    SCOPED_TRACE(family);
    const std::vector<double> weights = find_weight_family(family).make(300);
    const auto built = make(2);
    if (!builds(*built, weights, *GetParam().method)) continue;
    const std::vector<Index> samples = draw(*built, 300'000, {seed, 0});
    EXPECT_EQ(failures(test_samples(samples, weights), suite_budget.level()), "");
  }
}

TEST_P(MonotoneSuite, DrawsOnAfterAFailedBuild) {
  const auto built = make();
  built->build(std::vector<double>{1, 2, 0, 4});
  const std::vector<Index> before = draw(*built, 1000, {seed, 0});
  EXPECT_THROW(built->build(std::vector<double>{1, 2, -1, 4, 5}), Error);
  EXPECT_THROW(built->build(std::vector<double>{0, 0}), Error);
  EXPECT_EQ(built->size(), 4U);
  EXPECT_EQ(draw(*built, 1000, {seed, 0}), before);
}

std::vector<Variant> monotone_variants() {
  std::vector<Variant> all;
  for (const char* name :
       {"scan_linear", "scan_binary", "cutpoint", "lookup_table", "radix_forest"}) {
    for (Variant& variant : all_variants(find_method(name), 1)) all.push_back(std::move(variant));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, MonotoneSuite, testing::ValuesIn(monotone_variants()),
                         [](const auto& instance) { return test_name(instance.param.name); });

const TableOptions exact{Arithmetic::fixed_point, Layout::wide_rows, 1};
const TableOptions floating{Arithmetic::floating, Layout::wide_rows, 1};

TEST(IntervalMethods, FindTheSameItems) {
  const std::vector<std::uint64_t> words = words_to_try();
  for (const TableOptions& options : {exact, floating}) {
    for (const WeightFamily& family : weight_families()) {
      for (const Index n : {1U, 3U, 257U, 1000U}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        const std::vector<double> weights = family.make(n);
        ScanBinary binary(options);
        binary.build(weights);
        ScanLinear linear(options);
        linear.build(weights);
        for (const std::uint64_t word : words) ASSERT_EQ(linear.find(word), binary.find(word));
        for (const Index segments : {0U, 1U, 2U, 63U, 64U, 100U, 5000U}) {
          Cutpoint cutpoint(options, segments);
          cutpoint.build(weights);
          for (const std::uint64_t word : words) {
            ASSERT_EQ(cutpoint.find(word), binary.find(word))
                << segments << " segments, word " << word;
          }
        }
        for (const unsigned log2_items : {0U, 1U, 5U, 31U}) {
          RadixForest forest(options, log2_items);
          forest.build(weights);
          for (const std::uint64_t word : words) {
            ASSERT_EQ(forest.find(word), binary.find(word))
                << "2^" << log2_items << " items per cell, word " << word;
          }
        }
      }
    }
  }
}

TEST(IntervalMethods, FixedPointIntervalsEndWhereTheQuantisedMassesSay) {
  const std::vector<double> weights{1, 0, 2, 1e-5, 3, 0};
  const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
  ScanBinary scan(exact);
  scan.build(weights);
  std::uint64_t end = 0;
  const std::uint64_t all = fixed_bucket * weights.size();
  for (Index i = 0; i < weights.size(); ++i) {
    if (masses[i] == 0) continue;
    // The first and the last word of the positions [end, end + mass).
    const auto first = static_cast<std::uint64_t>(((Wide{end} << 64) + all - 1) / all);
    end += masses[i];
    const auto last = static_cast<std::uint64_t>(((Wide{end} << 64) + all - 1) / all - 1);
    EXPECT_EQ(scan.find(first), i);
    EXPECT_EQ(scan.find(last), i);
  }
  EXPECT_EQ(end, all);
  EXPECT_EQ(scan.find(greatest_word), 4U);
}

// The largest word must not be rounded up to the sum, for sums with any digits.
TEST(IntervalMethods, TheGreatestWordIsTheLastItemOfPositiveWeight) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto ulps = static_cast<double>(i < 1000 ? i : random::philox_word(1, i) >> 12);
    const double total = 1 + ulps * 0x1p-52;
    ScanBinary scan(floating);
    scan.build(std::vector<double>{total, 0});
    ASSERT_EQ(scan.find(greatest_word), 0U) << "total 1 + " << ulps << " ulps";
  }
}

TEST(IntervalMethods, LargeSumsDoNotDependOnThreads) {
  const std::vector<double> weights = find_weight_family("uniform").make(200'003);
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    ScanBinary one({arithmetic, Layout::wide_rows, 1});
    one.build(weights);
    const std::vector<double> expected = one.probabilities();
    for (const unsigned threads : {2U, 3U, 7U}) {
      ScanBinary more({arithmetic, Layout::wide_rows, threads});
      more.build(weights);
      EXPECT_TRUE(more.probabilities() == expected) << threads << " threads";
    }
  }
}

TEST(Cutpoint, BytesGrowWithTheSegments) {
  for (const Index segments : {0U, 10U, 1000U}) {
    Cutpoint cutpoint(exact, segments);
    cutpoint.build(std::vector<double>(100, 1.0));
    EXPECT_EQ(cutpoint.bytes(), 800 + 4 * (segments == 0 ? 100 : segments));
  }
}

/// The entries of the table, read with the words that select them.
std::vector<Index> entries_of(const LookupTable& table) {
  const std::uint64_t count = table.bytes() / sizeof(Index);
  std::vector<Index> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    entries.push_back(
        table.find(static_cast<std::uint64_t>(((Wide{i} << 64) + count - 1) / count)));
  }
  return entries;
}

std::vector<Index> entries_of(const std::vector<double>& weights) {
  LookupTable table(floating);
  table.build(weights);
  return entries_of(table);
}

TEST(LookupTable, HoldsEachItemAsOftenAsItsIntegerWeightSays) {
  EXPECT_EQ(entries_of(std::vector<double>{1, 2, 3}), (std::vector<Index>{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(entries_of(std::vector<double>{0, 2, 0, 1, 0}), (std::vector<Index>{1, 1, 3}));
  EXPECT_EQ(entries_of(std::vector<double>{7}), (std::vector<Index>{0}));
}

TEST(LookupTable, DividesByTheLargestAlpha) {
  EXPECT_EQ(entries_of(std::vector<double>{6, 12, 18}), (std::vector<Index>{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(entries_of(std::vector<double>{0.375, 0.75}), (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(entries_of(std::vector<double>{10, 4}), (std::vector<Index>{0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(entries_of(std::vector<double>(3, 0.1)), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(entries_of(std::vector<double>{0.2, 0.1}), (std::vector<Index>{0, 0, 1}));
  const double unit = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(entries_of(std::vector<double>{3 * unit, unit}), (std::vector<Index>{0, 0, 0, 1}));
  const double greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(entries_of(std::vector<double>{greatest / 2, greatest / 4}),
            (std::vector<Index>{0, 0, 1}));
}

TEST(LookupTable, RefusesWhatIsTooLargeAndSaysHowLarge) {
  LookupTable table(floating, 1000);
  table.build(std::vector<double>{400, 599, 1});
  EXPECT_EQ(table.bytes(), 4000U);
  const auto message_of = [&](const std::vector<double>& weights) -> std::string {
    try {
      table.build(weights);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message_of({400, 600, 1}),
            "argument 'weights': a lookup table needs 1001 entries, at most 1000 are allowed "
            "(weights must be integer multiples of 1 * 2^0, because of weight 2 = 1)");
  EXPECT_NE(message_of({3, 0.5, 0x1p-30}).find("because of weight 2 = 9.313"), std::string::npos);
  EXPECT_NE(message_of({0.1, 0.3}).find("needs"), std::string::npos);
  EXPECT_NE(message_of({1e308, 5e-324}).find("more than 10^300 entries"), std::string::npos);
  // The thesis's example: 10^-k and 1 - 10^-k.
  EXPECT_NE(message_of({1e-5, 1 - 1e-5}).find("needs"), std::string::npos);
  // The old table is kept.
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table.probabilities(), (std::vector<double>{0.4, 0.599, 0.001}));
}

}  // namespace
}  // namespace wrsgpu::verification
