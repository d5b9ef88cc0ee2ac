// The CPU shuffles: they permute, do not depend on the number of threads, and give all permutations
// equally often.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cpu_reference/shuffles.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/permutation_tests.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {
namespace {

using Words = std::vector<std::uint64_t>;
using verification::suite_budget;

/// A method to be tested, and the number of keys up to which it is fast enough.
struct Tested {
  CpuShuffleMethod method;
  std::uint64_t key_capacity = ~std::uint64_t{0};
};
void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.method.name; }

CpuShuffleMethod divided(const std::string& name, const Division& division, bool merges) {
  return {.name = name,
          .source = "",
          .summary = "",
          .parallel = true,
          .run = [=](Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
            const auto shuffle = merges ? merge_shuffle : rao_sandelius;
            shuffle(in, out, seed, threads, division);
          }};
}

/// The registered methods, and divide-and-conquer methods whose pieces are small enough to be
/// divided here.
std::vector<Tested> tested_methods() {
  std::vector<Tested> list;
  for (const CpuShuffleMethod& method : cpu_shuffle_methods()) {
    if (method.permutes) list.push_back({method});
  }
  list.push_back({divided("rao_sandelius_to_1_by_1_bit", {1, 1}, false), 300});
  list.push_back({divided("rao_sandelius_to_1_by_3_bits", {1, 3}, false), 5000});
  list.push_back({divided("rao_sandelius_to_100_by_8_bits", {100, 8}, false)});
  list.push_back({divided("merge_shuffle_from_1", {1, 8}, true), 5000});
  list.push_back({divided("merge_shuffle_from_60", {60, 8}, true)});
  list.push_back({divided("merge_shuffle_from_3", {3, 8}, true), 5000});
  return list;
}

Words keys_of(std::uint64_t size) {
  Words keys(size);
  std::iota(keys.begin(), keys.end(), std::uint64_t{1000});
  return keys;
}

Words shuffled(const CpuShuffleMethod& method, const Words& keys, std::uint64_t seed,
               unsigned threads) {
  Words out(keys.size());
  method.run(keys, out, seed, threads);
  return out;
}

bool holds_the_keys(Words shuffled_keys) {
  std::sort(shuffled_keys.begin(), shuffled_keys.end());
  return shuffled_keys == keys_of(shuffled_keys.size());
}

/// Sizes around all powers of two, which include the sizes of all blocks and batches.
Words tested_sizes() {
  Words sizes{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (unsigned bits = 4; bits <= 17; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  return sizes;
}

double upper_tail(double statistic, double freedom) {
  const boost::math::chi_squared distribution(freedom);
  return boost::math::cdf(boost::math::complement(distribution, statistic));
}

/// Chi-squared test of the destinations of the keys of each stretch, within one permutation. The
/// row and column sums of the table are fixed, hence the degrees of freedom.
double scatter_p(const Words& shuffled_keys) {
  constexpr std::uint64_t bins = 64;
  const std::uint64_t stretch = shuffled_keys.size() / bins;
  Words counts(bins * bins);
  for (std::uint64_t i = 0; i < bins * stretch; ++i) {
    ++counts[i / stretch * bins + (shuffled_keys[i] - 1000) / stretch];
  }
  const double expected = static_cast<double>(stretch) / bins;
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  return upper_tail(statistic, static_cast<double>((bins - 1) * (bins - 1)));
}

/// Permutation k is the result of the method for seed `k`.
verification::PermutationSource source_of(const CpuShuffleMethod& method) {
  return [method](std::uint64_t k, std::span<Index> out) {
    const Words order = shuffled(method, keys_of(out.size()), k, 1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(order[i] - 1000);
  };
}

/// The common mistake: swaps each key with any other.
void naive_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned /*threads*/) {
  random::PhiloxEngine<> engine(RandomState{seed, 0});
  std::copy(in.begin(), in.end(), out.begin());
  for (std::uint64_t& key : out) std::swap(key, out[engine() % out.size()]);
}

/// Shuffles both halves and merges them by fair coins, but appends the remainder of one half
/// unshuffled.
void merge_without_insertion(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned /*threads*/) {
  random::PhiloxEngine<> engine(RandomState{seed, 0});
  Words keys(in.begin(), in.end());
  const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
  std::shuffle(keys.begin(), middle, engine);
  std::shuffle(middle, keys.end(), engine);
  auto first = keys.begin();
  auto second = middle;
  for (std::uint64_t& key : out) {
    const bool from_second = first == middle || (second != keys.end() && engine() % 2 == 0);
    key = from_second ? *second++ : *first++;
  }
}

class CpuShuffles : public testing::TestWithParam<Tested> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "oneTBB is not instrumented: ThreadSanitizer does not see that its tasks wait "
                    "for each other";
#endif
  }
};

TEST_P(CpuShuffles, ArePermutationsTheSameForAnyNumberOfThreads) {
  for (const std::uint64_t size : tested_sizes()) {
    if (size > GetParam().key_capacity) continue;
    const Words keys = keys_of(size);
    const Words once = shuffled(GetParam().method, keys, 11, 1);
    ASSERT_TRUE(holds_the_keys(once)) << size;
    for (const unsigned threads : {1U, 2U, 3U, 7U}) {
      const Words again = shuffled(GetParam().method, keys, 11, threads);
      if (GetParam().method.reproducible || threads == 1) {
        ASSERT_EQ(again, once) << size << " keys, " << threads << " threads";
      } else {
        ASSERT_TRUE(holds_the_keys(again)) << size << " keys, " << threads << " threads";
      }
    }
  }
}

/// The deviation of the number of heads from half the throws of a fair coin, in standard
/// deviations.
double coin_deviation(std::uint64_t heads, std::uint64_t throws) {
  const auto n = static_cast<double>(throws);
  return (2 * static_cast<double>(heads) - n) / std::sqrt(n);
}

// Keys that were neighbours, or at equal places of two pieces, come in either order equally often.
// This detects ties of words that are too short, and pieces that are all shuffled alike.
TEST_P(CpuShuffles, PutAnyTwoKeysInEitherOrder) {
  const std::uint64_t size =
      std::min<std::uint64_t>(std::uint64_t{1} << 19, GetParam().key_capacity);
  const Words order = shuffled(GetParam().method, keys_of(size), 5, 2);
  Words place(size);
  for (std::uint64_t i = 0; i < size; ++i) place[order[i] - 1000] = i;
  // Normal tails: 7.5 standard deviations are exceeded once in 10^13.
  for (const std::uint64_t distance : {1U, 2U, 3U, 17U, 128U}) {
    if (size < 2 * distance) continue;
    std::uint64_t in_order = 0;
    std::uint64_t pairs = 0;
    for (std::uint64_t i = 0; i + distance < size; i += 2 * distance) {
      for (std::uint64_t k = i; k < i + distance && k + distance < size; ++k, ++pairs) {
        in_order += place[k] < place[k + distance] ? 1U : 0U;
      }
    }
    EXPECT_LT(std::abs(coin_deviation(in_order, pairs)), 7.5) << "distance " << distance;
  }
  // Successive keys of the output ascend as often as they descend; the number of ascents has a
  // variance of n/12.
  std::uint64_t rises = 0;
  for (std::uint64_t i = 0; i + 1 < size; ++i) rises += order[i] < order[i + 1] ? 1U : 0U;
  const auto n = static_cast<double>(size);
  EXPECT_LT(std::abs(static_cast<double>(rises) - (n - 1) / 2), 7.5 * std::sqrt((n + 1) / 12));
  // The same two places in pieces that begin at multiples of some length.
  for (const std::uint64_t piece : {std::uint64_t{64}, std::uint64_t{128}, std::uint64_t{1024}}) {
    if (size < 60 * piece) continue;
    for (const std::uint64_t second : {1U, 2U, 7U, 13U, 31U, 40U}) {
      std::uint64_t in_order = 0;
      for (std::uint64_t first = 0; first + piece <= size; first += piece) {
        in_order += place[first] < place[first + second] ? 1U : 0U;
      }
      EXPECT_LT(std::abs(coin_deviation(in_order, size / piece)), 7.5) << piece << " " << second;
    }
  }
}

TEST_P(CpuShuffles, DifferFromSeedToSeed) {
  const Words keys = keys_of(100);
  const Words one = shuffled(GetParam().method, keys, 0, 1);
  EXPECT_NE(one, keys);
  for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL << 32, ~0ULL}) {
    EXPECT_NE(shuffled(GetParam().method, keys, seed, 1), one) << seed;
  }
}

TEST_P(CpuShuffles, GiveAllOrdersOfFiveEquallyOften) {
  const auto report =
      verification::permutation_chi_squared(5, 60'000, source_of(GetParam().method));
  EXPECT_TRUE(report.passes(suite_budget.level())) << to_string(report);
}

TEST_P(CpuShuffles, GiveOrdersOfManyAsFarApartAsUniformOnes) {
  for (const Index items : {Index{17}, Index{257}}) {
    const auto reports = verification::permutation_mmd(items, 20'000, source_of(GetParam().method));
    EXPECT_TRUE(reports.asymptotic.passes(suite_budget.level()))
        << items << " items: " << to_string(reports.asymptotic);
  }
}

// Only methods that are fast enough for many keys per cell of the table.
TEST_P(CpuShuffles, ScatterEveryStretch) {
  const std::uint64_t size = std::uint64_t{1} << 19;
  if (size > GetParam().key_capacity) {
    GTEST_SKIP() << GetParam().method.name << " is too slow for that many keys";
  }
  EXPECT_GT(scatter_p(shuffled(GetParam().method, keys_of(size), 5, 0)), suite_budget.level());
}

INSTANTIATE_TEST_SUITE_P(All, CpuShuffles, testing::ValuesIn(tested_methods()),
                         [](const auto& parameter) { return parameter.param.method.name; });

TEST(CpuShuffleTests, FindPlantedBiases) {
  for (const auto& run : {naive_shuffle, merge_without_insertion}) {
    const CpuShuffleMethod biased{.name = "biased", .source = "", .summary = "", .run = run};
    ASSERT_TRUE(holds_the_keys(shuffled(biased, keys_of(1000), 3, 1)));
    const auto report = verification::permutation_chi_squared(5, 60'000, source_of(biased));
    EXPECT_FALSE(report.passes(suite_budget.level())) << to_string(report);
  }
  // A planted fault: keys are assigned to random pieces, which are then sorted instead of shuffled.
  Words sorted_in_pieces =
      shuffled(find_by_name(cpu_shuffle_methods(), "cycle_walk", "CPU shuffle"),
               keys_of(std::uint64_t{1} << 19), 5, 1);
  for (std::size_t begin = 0; begin < sorted_in_pieces.size(); begin += 1 << 15) {
    const auto first = sorted_in_pieces.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, first + (1 << 15));
  }
  EXPECT_LT(scatter_p(sorted_in_pieces), suite_budget.level());
}

TEST(CpuShuffle, CycleWalkGathersByTheLazyPermutation) {
  for (const std::uint64_t size : {1ULL, 100ULL, 16'385ULL, 100'000ULL}) {
    const Words keys = keys_of(size);
    Words out(size);
    cycle_walk_shuffle(keys, out, 21, 1);
    const LazyPermutation permutation = lazy_permutation(size, 21);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(out[i], keys[permutation(i)]) << size;
  }
}

TEST(CpuShuffle, BijectiveLeavesOutWhatIsNoKey) {
  for (const std::uint64_t size : {1ULL, 5ULL, 129ULL, 4095ULL, 4097ULL, 16'385ULL}) {
    const Words keys = keys_of(size);
    Words expected;
    const auto bijection = VariablePhilox<>::of_at_least(size, 22);
    for (std::uint64_t i = 0; i < bijection.size(); ++i) {
      if (bijection(i) < size) expected.push_back(keys[bijection(i)]);
    }
    Words out(size);
    bijective_shuffle(keys, out, 22, 1);
    EXPECT_EQ(out, expected) << size;
  }
}

TEST(CpuShuffle, GatherReadsEverywhere) {
  const Words keys = keys_of(100'000);
  Words out(keys.size());
  gather_bound(keys, out, 1, 1);
  Words reads(100);
  for (const std::uint64_t key : out) {
    ASSERT_TRUE(key >= 1000 && key < 1000 + keys.size());
    ++reads[(key - 1000) / 1000];
  }
  for (const std::uint64_t stretch : reads) {
    EXPECT_GT(stretch, 700U);
    EXPECT_LT(stretch, 1300U);
  }
}

TEST(CpuShuffle, RefusesWhatItCannotShuffle) {
  for (const CpuShuffleMethod& method : cpu_shuffle_methods()) {
    SCOPED_TRACE(method.name);
    const Words keys = keys_of(10);
    Words out(11, 7);
    const Words untouched = out;
    const auto run = [&](Keys in, ShuffledKeys to) { method.run(in, to, 1, 1); };
    EXPECT_THROW(run({}, {}), Error);
    EXPECT_THROW(run(keys, out), Error);
    EXPECT_THROW(run(keys, std::span(out).first(9)), Error);
    // Nothing is read or written, so the memory need not exist.
    const std::uint64_t too_many = max_keys + 1;
    EXPECT_THROW(run({keys.data(), too_many}, {out.data(), too_many}), Error);
    EXPECT_EQ(out, untouched);
    Words both = keys_of(20);
    EXPECT_THROW(run(std::span(both).first(10), std::span(both).subspan(9, 10)), Error);
    EXPECT_THROW(run(std::span(both).subspan(9, 10), std::span(both).first(10)), Error);
    EXPECT_THROW(run(both, both), Error);
    EXPECT_EQ(both, keys_of(20));
    EXPECT_NO_THROW(run(std::span(both).first(10), std::span(both).subspan(10)));
  }
}

TEST(CpuShuffle, RefusesDivisionsThatDivideNothing) {
  const Words keys = keys_of(10);
  Words out(10, 7);
  for (const Division& division : {Division{0, 8}, Division{1, 0}, Division{1, 9}}) {
    EXPECT_THROW(rao_sandelius(keys, out, 1, 1, division), Error);
    EXPECT_THROW(merge_shuffle(keys, out, 1, 1, division), Error);
  }
  EXPECT_EQ(out, Words(10, 7));
}

}  // namespace
}  // namespace wrsgpu::shuffle
