// Sampling without replacement, the shuffle of values of any type, and the block functions that
// both use.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "verification/false_alarm_budget.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/shuffle/blocks.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/shuffle.hpp"
#include "wrsgpu/without_replacement.hpp"

namespace wrsgpu::shuffle {
namespace {

using Words = std::vector<std::uint64_t>;
using verification::suite_budget;

Words sample(std::uint64_t items, std::uint64_t count, std::uint64_t seed, std::uint64_t first = 0,
             unsigned threads = 1) {
  Words out(count);
  sample_without_replacement(items, out, seed, first, threads);
  return out;
}

bool all_differ(Words numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

// Sizes around the 128 lanes of a block and the powers of two, and the largest.
const Words block_test_sizes{1,
                             2,
                             3,
                             5,
                             16,
                             127,
                             128,
                             129,
                             255,
                             257,
                             1000,
                             4095,
                             4096,
                             4097,
                             5000,
                             1ULL << 32,
                             (1ULL << 33) + 1,
                             max_keys - 1,
                             max_keys};

/// Both code paths, on any processor.
class Blocks : public testing::TestWithParam<HostCode> {};

TEST_P(Blocks, ArePlacesOneByOne) {
  const HostCode code = GetParam();
  for (const std::uint64_t size : block_test_sizes) {
    const LazyPermutation permutation = lazy_permutation(size, 17);
    for (const std::uint64_t first : {std::uint64_t{0}, size / 3, size - 1}) {
      for (const std::uint64_t count : {1ULL, 127ULL, 128ULL, 129ULL, 1000ULL}) {
        Words block(std::min(count, size - first));
        places(permutation, first, block, code);
        for (std::size_t k = 0; k < block.size(); ++k) {
          ASSERT_EQ(block[k], permutation(first + k)) << size << " " << first << " " << k;
        }
        if (size > std::uint64_t{1} << 32) continue;
        std::vector<Index> narrow(block.size());
        places(permutation, first, narrow, code);
        ASSERT_TRUE(std::equal(narrow.begin(), narrow.end(), block.begin()));
      }
    }
  }
}

TEST_P(Blocks, AreImagesOneByOne) {
  const HostCode code = GetParam();
  for (const std::uint64_t size : block_test_sizes) {
    const auto bijection = VariablePhilox<>::of_at_least(size, 18);
    for (const std::uint64_t first : {std::uint64_t{0}, bijection.size() / 3}) {
      Words block(std::min<std::uint64_t>(1000, bijection.size() - first));
      images(bijection, first, block, code);
      for (std::size_t k = 0; k < block.size(); ++k) {
        ASSERT_EQ(block[k], bijection(first + k)) << size << " " << first << " " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, Blocks, testing::Values(HostCode::best, HostCode::portable),
                         [](const auto& code) {
                           return std::string(code.param == HostCode::best ? "best" : "portable");
                         });

TEST(SampleWithoutReplacement, OfAllItemsIsAPermutation) {
  for (const std::uint64_t items :
       {1ULL, 2ULL, 3ULL, 127ULL, 128ULL, 129ULL, 16'383ULL, 16'384ULL, 16'385ULL, 131'073ULL}) {
    Words all = sample(items, items, 4);
    std::sort(all.begin(), all.end());
    Words expected(items);
    std::iota(expected.begin(), expected.end(), std::uint64_t{0});
    EXPECT_EQ(all, expected) << items;
  }
}

TEST(SampleWithoutReplacement, IsTheBeginningOfThePermutation) {
  for (const std::uint64_t items :
       {std::uint64_t{100'000}, (std::uint64_t{1} << 32) + 5, max_keys}) {
    const LazyPermutation permutation = lazy_permutation(items, 6);
    const Words some = sample(items, 40'000, 6);
    EXPECT_TRUE(all_differ(some));
    for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(some[i], permutation(i));
  }
}

TEST(SampleWithoutReplacement, InPiecesIsTheSameSample) {
  const Words whole = sample(70'000, 70'000, 8);
  Words pieces;
  for (const std::uint64_t count : {1ULL, 127ULL, 20'000ULL, 49'872ULL}) {
    const Words piece = sample(70'000, count, 8, pieces.size(), 2);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(pieces, whole);
}

TEST(SampleWithoutReplacement, DoesNotDependOnTheNumberOfThreads) {
  const Words once = sample(1'000'000, 100'001, 9, 17, 1);
  for (const unsigned threads : {0U, 2U, 3U, 7U}) {
    EXPECT_EQ(sample(1'000'000, 100'001, 9, 17, threads), once) << threads;
  }
  EXPECT_NE(sample(1'000'000, 100'001, 10, 17), once);
}

TEST(SampleWithoutReplacement, IsTheSameAs32BitNumbers) {
  for (const std::uint64_t items : {std::uint64_t{50'000}, std::uint64_t{1} << 32}) {
    std::vector<Index> narrow(40'000);
    sample_without_replacement(items, narrow, 3, 5, 2);
    const Words wide = sample(items, 40'000, 3, 5);
    EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), wide.begin()));
  }
}

using Draw = std::function<Words(std::uint64_t items, std::uint64_t count, std::uint64_t seed)>;

/// The p-value of a chi-squared test over all ordered samples of `count` items, which are equally
/// likely.
double ordered_samples_p(std::uint64_t items, std::uint64_t count, const Draw& draw) {
  std::uint64_t orders = 1;
  for (std::uint64_t i = 0; i < count; ++i) orders *= items - i;
  constexpr std::uint64_t each = 400;
  std::map<Words, std::uint64_t> found;
  for (std::uint64_t seed = 0; seed < each * orders; ++seed) ++found[draw(items, count, seed)];
  EXPECT_LE(found.size(), orders);
  double statistic = static_cast<double>(orders - found.size()) * each;  // absent orders
  for (const auto& [order, times] : found) {
    const double difference = static_cast<double>(times) - static_cast<double>(each);
    statistic += difference * difference / each;
  }
  const boost::math::chi_squared distribution(static_cast<double>(orders - 1));
  return boost::math::cdf(boost::math::complement(distribution, statistic));
}

TEST(SampleWithoutReplacement, GivesAllOrderedSamplesEquallyOften) {
  for (const auto& [items, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {2, 1}, {2, 2}, {5, 2}, {5, 5}, {7, 3}, {9, 2}, {17, 2}, {100, 1}}) {
    const double p = ordered_samples_p(
        items, count,
        [](std::uint64_t n, std::uint64_t k, std::uint64_t seed) { return sample(n, k, seed); });
    EXPECT_GT(p, suite_budget.level()) << count << " of " << items;
  }
}

// As above, for a range of the sample that does not begin at its start.
TEST(SampleWithoutReplacement, GivesAllOrderedSamplesEquallyOftenInTheMiddle) {
  const double p = ordered_samples_p(
      9, 2,
      [](std::uint64_t n, std::uint64_t k, std::uint64_t seed) { return sample(n, k, seed, 4); });
  EXPECT_GT(p, suite_budget.level());
}

// A planted fault: a repeated number is replaced by its neighbour instead of being drawn again.
TEST(SampleWithoutReplacement, TestFindsABias) {
  const double p =
      ordered_samples_p(7, 3, [](std::uint64_t n, std::uint64_t k, std::uint64_t seed) {
        random::PhiloxEngine<> engine(RandomState{seed, 0});
        Words out;
        while (out.size() < k) {
          std::uint64_t number = engine() % n;
          while (std::find(out.begin(), out.end(), number) != out.end()) number = (number + 1) % n;
          out.push_back(number);
        }
        return out;
      });
  EXPECT_LT(p, suite_budget.level());
}

TEST(SampleWithoutReplacement, RefusesWhatItCannotDraw) {
  Words out(10, 7);
  std::vector<Index> narrow(10, 7);
  const auto draw = [&](std::uint64_t items, std::uint64_t count, std::uint64_t first) {
    sample_without_replacement(items, std::span(out).first(count), 1, first, 1);
  };
  EXPECT_THROW(draw(0, 1, 0), Error);
  EXPECT_THROW(draw(max_keys + 1, 1, 0), Error);
  EXPECT_THROW(draw(10, 0, 0), Error);
  EXPECT_THROW(draw(9, 10, 0), Error);
  EXPECT_THROW(draw(10, 10, 1), Error);
  EXPECT_THROW(draw(10, 1, 10), Error);
  EXPECT_THROW(draw(10, 2, ~std::uint64_t{0}), Error);
  EXPECT_THROW(sample_without_replacement((std::uint64_t{1} << 32) + 1, narrow, 1), Error);
  EXPECT_EQ(out, Words(10, 7));
  EXPECT_EQ(narrow, std::vector<Index>(10, 7));
  EXPECT_NO_THROW(draw(10, 1, 9));
}

TEST(ShuffleCopy, TakesAnyContainersAndValues) {
  for (const std::size_t size : {1U, 2U, 255U, 256U, 257U, 3000U}) {
    std::deque<std::string> names;
    for (std::size_t i = 0; i < size; ++i) names.push_back("name " + std::to_string(i));
    std::vector<std::string> out;
    shuffle_copy(names.begin(), names.end(), std::back_inserter(out), 5);
    ASSERT_EQ(out.size(), size);
    const LazyPermutation permutation = lazy_permutation(size, 5);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(out[i], "name " + std::to_string(permutation(i)));
    }
    std::deque<std::string> again(size);
    EXPECT_EQ(shuffle_copy(names.cbegin(), names.cend(), again.begin(), 5), again.end());
    EXPECT_TRUE(std::equal(out.begin(), out.end(), again.begin(), again.end()));
  }
}

TEST(ShuffleCopy, RefusesNothingAndOverlaps) {
  std::vector<double> values(20, 1.5);
  const auto copy = [&](std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t out) {
    return shuffle_copy(values.begin() + first, values.begin() + last, values.begin() + out, 1);
  };
  EXPECT_THROW(copy(0, 0, 10), Error);
  EXPECT_THROW(copy(5, 4, 10), Error);
  EXPECT_THROW(copy(0, 10, 9), Error);
  EXPECT_THROW(copy(9, 19, 0), Error);
  EXPECT_THROW(copy(0, 10, 0), Error);
  std::iota(values.begin(), values.end(), 0.0);
  EXPECT_EQ(copy(0, 10, 10), values.end());
  std::sort(values.begin() + 10, values.end());
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 10, values.begin() + 10));
}

}  // namespace
}  // namespace wrsgpu::shuffle
