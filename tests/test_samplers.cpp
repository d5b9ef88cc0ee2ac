// The CPU samplers over a finished table: tests beyond those of test_sampling_suite for all
// samplers.
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu_reference/expected_sampler.hpp"
#include "error_message.hpp"
#include "exact_ties.hpp"
#include "planted_bias.hpp"
#include "registry/methods.hpp"
#include "registry/samplers.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/closest_names.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/batched_sampler.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

constexpr std::uint64_t seed = 0x0123'4567'89AB'CDEFU;
constexpr std::uint64_t last_offset = ~std::uint64_t{0};

std::vector<Index> draw(const Sampler& sampler, const HostTable& table, std::size_t samples,
                        RandomState state) {
  std::vector<Index> out(samples, 0xFFFF'FFFFU);
  sampler.sample(table, out, state);
  return out;
}

TEST(PhiloxWords, AreTheWordsOfTheStream) {
  // Odd and even starts, lengths around the vector length, block indices beyond 32 bits, and the
  // wrap-around from the last word to the first.
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, (std::uint64_t{1} << 33) - 5,
        last_offset - 1, last_offset, last_offset - 70}) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 63U, 64U, 65U, 66U, 127U, 128U, 129U, 1000U}) {
      std::vector<std::uint64_t> words(count);
      philox_words(seed, first, words);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(words[k], random::philox_word(seed, first + k))
            << "word " << k << " of " << count << " from " << first;
      }
    }
  }
}

template <int rounds>
void expect_split_words() {
  const random::SplitWords<rounds> expected(seed);
  // Starts at every word of a quad, lengths around the vector length, quads beyond 32 bits, and the
  // wrap-around from the last word to the first.
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{8},
        (std::uint64_t{1} << 34) - 7, last_offset - 1, last_offset, last_offset - 70}) {
    for (const std::size_t count :
         {0U, 1U, 2U, 3U, 4U, 61U, 62U, 63U, 64U, 65U, 66U, 67U, 127U, 128U, 129U, 1000U}) {
      for (const std::uint32_t attempt : {0U, 3U, 0xFFFF'FFFFU}) {
        std::vector<std::uint64_t> words(count + 1, 77);
        split_words<rounds>(seed, first, std::span(words).first(count), attempt);
        for (std::size_t k = 0; k < count; ++k) {
          ASSERT_EQ(words[k], expected.word(first + k, attempt))
              << rounds << " rounds, word " << k << " of " << count << " from " << first;
        }
        ASSERT_EQ(words[count], 77U);
      }
    }
  }
}
TEST(SplitWords, AreTheSameInVectors) {
  expect_split_words<7>();
  expect_split_words<10>();
}

/// One arithmetic and layout of the table.
class BatchedSamplerSuite : public testing::TestWithParam<TableOptions> {};

TEST_P(BatchedSamplerSuite, WritesNothingBeyondTheOutput) {
  const HostTable table = built_table(find_weight_family("ramp").make(1000), GetParam());
  for (const std::size_t samples : {1U, 255U, 256U, 65'535U, 65'537U}) {
    std::vector<Index> out(samples + 2, 77'777U);
    BatchedSampler(2).sample(table, std::span(out).subspan(1, samples), {seed, 3});
    EXPECT_EQ(out.front(), 77'777U);
    EXPECT_EQ(out.back(), 77'777U);
    EXPECT_EQ(std::count(out.begin(), out.end(), 77'777U), 2);
  }
}

TEST(BatchedSampler, RefusesOtherRounds) {
  EXPECT_EQ(error_of([] { BatchedSampler(1, 8); }), "argument 'rounds' is 8; it must be 7 or 10");
}

TEST(BatchedSampler, DecidesTiesAsTheRowsDo) {
  // Two full batches and a partial one.
  expect_exact_ties(BatchedSampler(1), {seed, 0}, 600,
                    [](std::uint64_t k) { return random::SplitWords<>(seed).word(k); });
}

INSTANTIATE_TEST_SUITE_P(, BatchedSamplerSuite, testing::ValuesIn(variants(find_method("sweep"))),
                         [](const auto& instance) {
                           return variant_name(find_method("sweep"), instance.param);
                         });

/// The number of occurrences of each item.
Counts counts_of(const HostTable& table, std::size_t samples) {
  return count_samples(draw(ExpectedSampler(), table, samples, {}), table.size());
}

TEST(ExpectedSampler, GivesWholeExpectationsExactly) {
  const std::vector<double> weights{1, 2, 0, 3, 4};
  for (const TableOptions& options : variants(find_method("sweep"))) {
    const HostTable table = built_table(weights, options);
    const Counts counts = counts_of(table, 1'000'000);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(counts[i]), weights[i] * 100'000, 1);
    }
  }
  EXPECT_EQ(counts_of(built_table(weights), 10), (Counts{1, 2, 0, 3, 4}));
}

TEST(ExpectedSampler, RoundsByLargestRemainder) {
  // Expected counts: 1.25, 0.5, 0.25 of 2; 2.5, 1, 0.5 of 4 (the first of equal remainders gets one
  // more).
  const HostTable table = built_table(std::vector<double>{5, 2, 1});
  EXPECT_EQ(counts_of(table, 2), (Counts{1, 1, 0}));
  EXPECT_EQ(counts_of(table, 4), (Counts{3, 1, 0}));
  EXPECT_EQ(counts_of(table, 1), (Counts{1, 0, 0}));
  EXPECT_EQ(counts_of(built_table(std::vector<double>(4, 0.1)), 6), (Counts{2, 2, 1, 1}));
}

TEST(ExpectedSampler, IsWithinOneOfTheExpectationEverywhereAndInOrder) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 257U, 1000U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const HostTable table = built_table(weights);
      const std::vector<double> p = probabilities_of(table);
      for (const std::size_t samples : {1U, 999U, 100'000U}) {
        const std::vector<Index> items = draw(ExpectedSampler(), table, samples, {});
        ASSERT_TRUE(std::is_sorted(items.begin(), items.end()));
        const Counts counts = count_samples(items, n);
        for (Index i = 0; i < n; ++i) {
          const double expected = p[i] * static_cast<double>(samples);
          ASSERT_LT(std::abs(static_cast<double>(counts[i]) - expected), 1 + 1e-9 * expected);
          if (weights[i] == 0) {
            ASSERT_EQ(counts[i], 0U) << "item " << i;
          }
        }
      }
    }
  }
}

TEST(ExpectedSampler, ComesFromTheTableNotFromTheWeights) {
  HostTable table(Layout::wide_rows, 2, 1.0);
  table.visit([](auto rows) {
    if constexpr (decltype(rows)::layout != Layout::compact_rows) {
      rows.store(0, 0.25, 1);
      rows.store(1, 1.0, 1);
    }
  });
  EXPECT_EQ(counts_of(table, 80), (Counts{10, 70}));
}

/// p-value of the item whose count deviates most.
double worst_item_of(const std::vector<Index>& samples, const std::vector<double>& weights) {
  const auto items = static_cast<Index>(weights.size());
  return worst_item(count_samples(samples, items), expected_probabilities(weights)).p_value;
}

// Half of the rows are light and keep half of their bucket. 2% of the 200,000 expected draws of a
// light item are 9 standard deviations.
TEST(Samplers, TossACoinThatIsNotTwoPercentOff) {
  constexpr Index items = 64;
  constexpr std::size_t draws = std::size_t{items} * 400'000;
  std::vector<double> weights(items);
  for (Index i = 0; i < items; ++i) weights[i] = i % 2 == 0 ? 1 : 3;
  for (const TableOptions& options :
       {TableOptions{Arithmetic::floating, Layout::wide_rows, 0},
        TableOptions{Arithmetic::fixed_point, Layout::compact_rows, 0}}) {
    const HostTable table = built_table(weights, options);
    for (const SamplerInfo& info : samplers()) {
      const std::vector<Index> samples = draw(*info.make(2), table, draws, {seed, 0});
      EXPECT_GT(worst_item_of(samples, weights), suite_budget.level()) << info.name;
    }
    const std::vector<Index> biased = draw_with_small_coin(table, draws, {seed, 0});
    EXPECT_LT(worst_item_of(biased, weights), suite_budget.level());
  }
}

TEST(Samplers, RefuseAnEmptyOutputAndAnEmptyTable) {
  const HostTable table = built_table(std::vector<double>{1, 2});
  for (const SamplerInfo& info : samplers()) {
    SCOPED_TRACE(info.name);
    const auto sampler = info.make(1);
    std::vector<Index> out(3, 77);
    EXPECT_NO_THROW(sampler->sample(table, {}, {}));
    EXPECT_THROW(sampler->sample(HostTable(), out, {}), Error);
    EXPECT_EQ(out, std::vector<Index>(3, 77));
  }
}

TEST(Samplers, AreFoundByName) {
  std::string known;
  for (const SamplerInfo& sampler : samplers()) {
    EXPECT_EQ(&find_sampler(sampler.name), &sampler);
    known += (known.empty() ? "" : ", ") + sampler.name;
  }
  EXPECT_FALSE(find_sampler("expected").random);
  try {
    static_cast<void>(find_sampler("bached"));
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
#ifdef WRSGPU_WITH_CUDA
    const std::string begin = "unknown CPU sampler 'bached' (known: ";
#else
    const std::string begin = "unknown CPU sampler, in a build without CUDA, 'bached' (known: ";
#endif
    EXPECT_EQ(std::string(error.what()), begin + known + ")");
  }
}

TEST(Registries, NameTheClosestOfMany) {
  const std::vector<std::string> known{"vose", "sweep", "sweep_fixed", "psa", "psa_plus"};
  EXPECT_EQ(closest_names(known, "swep", 2), (std::vector<std::string>{"sweep", "vose"}));
  EXPECT_EQ(closest_names(known, "psaplus", 1), std::vector<std::string>{"psa_plus"});
  EXPECT_EQ(closest_names(known, "", 2), (std::vector<std::string>{"psa", "vose"}));
  EXPECT_EQ(closest_names({}, "swep", 2).size(), 0);
  EXPECT_EQ(closest_names({"halve", "halving_baseline", "halving_chunked"}, "halving", 2),
            (std::vector<std::string>{"halving_baseline", "halving_chunked"}));
  constexpr int count = 100;
  std::vector<std::string> many;
  many.reserve(count);
  for (int k = 0; k < count; ++k) many.push_back("method_" + std::to_string(k));
  const Error error = unknown_name(
      many, [](const std::string& each) { return each; }, "methd_42", "method");
  EXPECT_STREQ(error.what(),
               "unknown method 'methd_42' (the closest of 100: method_42, method_2, method_4, "
               "method_12, method_22)");
}

}  // namespace
}  // namespace wrsgpu::verification
