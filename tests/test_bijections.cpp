// The bijections of shuffle/, their inverses, cycle walking and the iterators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "shuffle/linear_congruential.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/shuffle/product_feistel.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {
namespace {

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

static_assert(std::is_trivially_copyable_v<LinearCongruential>);
static_assert(std::is_trivially_copyable_v<VariablePhilox<>>);
static_assert(std::is_trivially_copyable_v<LazyPermutation>);
static_assert(std::random_access_iterator<LazyPermutation::Iterator>);
static_assert(std::sized_sentinel_for<LazyPermutation::Iterator, LazyPermutation::Iterator>);

/// Examines all of `bijection` on [0, size). Returns a description of the first fault, or an empty
/// string.
template <class Bijection>
std::string fault(const Bijection& bijection) {
  std::vector<bool> seen(bijection.size());
  for (std::uint64_t i = 0; i < bijection.size(); ++i) {
    const std::uint64_t image = bijection(i);
    if (image >= bijection.size()) return std::to_string(i) + " leads outside";
    if (seen[image]) return std::to_string(image) + " is the image of two";
    if (bijection.inverse(image) != i) return std::to_string(i) + " is not the inverse's";
    seen[image] = true;
  }
  return {};
}

/// As above, for some numbers of a large bijection: the first, the last and 100,000 pseudo-random
/// ones.
template <class Bijection>
std::string fault_at_some(const Bijection& bijection) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    numbers.push_back(bijection.size() - 1 - i);
  }
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    numbers.push_back(random::philox_word(77, i) % bijection.size());
  }
  for (const std::uint64_t i : numbers) {
    const std::uint64_t image = bijection(i);
    if (image >= bijection.size()) return std::to_string(i) + " leads outside";
    if (bijection.inverse(image) != i) return std::to_string(i) + " is not the inverse's";
    if (bijection(bijection.inverse(i)) != i) return std::to_string(i) + " is no image";
  }
  return {};
}

/// The number of places at which two permutations of at least `size` items agree.
template <class First, class Second>
std::uint64_t agreements(const First& first, const Second& second, std::uint64_t size) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < size; ++i) count += first(i) == second(i) ? 1U : 0U;
  return count;
}

/// Returns whether the permutation is odd.
template <class Bijection>
bool is_odd(const Bijection& bijection) {
  std::vector<bool> seen(bijection.size());
  bool odd = false;
  for (std::uint64_t start = 0; start < bijection.size(); ++start) {
    if (seen[start]) continue;
    // A cycle of length m is a product of m - 1 swaps.
    for (std::uint64_t i = bijection(start); i != start; i = bijection(i)) {
      seen[i] = true;
      odd = !odd;
    }
  }
  return odd;
}

const std::vector<std::uint64_t> seeds{0, 1, 12'345, 0xFFFF'FFFF'FFFF'FFFFU};

TEST(VariablePhilox, IsABijectionForEveryNumberOfBits) {
  for (unsigned bits = VariablePhilox<>::min_bits; bits <= 16; ++bits) {
    for (const std::uint64_t seed : seeds) {
      EXPECT_EQ(VariablePhilox<>(bits, seed).size(), std::uint64_t{1} << bits);
      EXPECT_EQ(fault(VariablePhilox<>(bits, seed)), "") << bits << " " << seed;
      EXPECT_EQ(fault(VariablePhilox<1>(bits, seed)), "") << bits << " " << seed;
      EXPECT_EQ(fault(VariablePhilox<6>(bits, seed)), "") << bits << " " << seed;
      EXPECT_EQ(fault(VariablePhilox<7>(bits, seed)), "") << bits << " " << seed;
    }
  }
}

TEST(LinearCongruential, IsABijectionForEveryNumberOfBits) {
  for (unsigned bits = LinearCongruential::min_bits; bits <= 16; ++bits) {
    for (const std::uint64_t seed : seeds) {
      EXPECT_EQ(LinearCongruential(bits, seed).size(), std::uint64_t{1} << bits);
      EXPECT_EQ(fault(LinearCongruential(bits, seed)), "") << bits << " " << seed;
    }
  }
}

TEST(ProductFeistel, IsABijectionForEverySmallSize) {
  for (std::uint64_t size = 1; size <= 3000; ++size) {
    ASSERT_EQ(fault(ProductFeistel<>(size, size)), "") << size;
    ASSERT_EQ(fault(ProductFeistel<2>(size, 7)), "") << size;
  }
}

TEST(ProductFeistel, IsABijectionAroundPowersOfTwo) {
  for (unsigned bits = 1; bits <= 17; ++bits) {
    for (const std::uint64_t size : {(1ULL << bits) - 1, 1ULL << bits, (1ULL << bits) + 1}) {
      for (const std::uint64_t seed : seeds) EXPECT_EQ(fault(ProductFeistel<>(size, seed)), "");
    }
  }
}

TEST(ProductFeistel, HasLittleMoreThanTheSizeAskedFor) {
  std::vector<std::uint64_t> sizes(100'000);
  std::iota(sizes.begin(), sizes.end(), std::uint64_t{1});
  for (unsigned bits = 17; bits <= 40; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    sizes.insert(sizes.end(), {power - 1, power, bits < 40 ? power + 1 : power});
  }
  for (const std::uint64_t size : sizes) {
    const std::uint64_t numbers = ProductFeistel<>(size, 1).size();
    ASSERT_GE(numbers, size);
    // Less than one additional row, whose length is at most the square root; at least four numbers.
    const double root = std::sqrt(static_cast<double>(size));
    ASSERT_TRUE(size < 4 ? numbers == 4 : static_cast<double>(numbers - size) < root) << size;
    ASSERT_EQ(numbers % 2, 0) << size;
  }
}

TEST(Bijections, OfAtLeastIsTheSmallest) {
  for (std::uint64_t size = 1; size <= 5000; ++size) {
    const std::uint64_t philox = VariablePhilox<>::of_at_least(size, 1).size();
    ASSERT_GE(philox, size);
    ASSERT_TRUE(philox == 16 || philox / 2 < size) << size;
    const std::uint64_t congruential = LinearCongruential::of_at_least(size, 1).size();
    ASSERT_GE(congruential, size);
    ASSERT_TRUE(congruential == 2 || congruential / 2 < size) << size;
  }
  EXPECT_EQ(VariablePhilox<>::of_at_least(max_keys, 1).size(), max_keys);
  EXPECT_EQ(LinearCongruential::of_at_least(max_keys - 1, 1).size(), max_keys);
}

TEST(Bijections, LargeOnesAreInvertible) {
  for (const unsigned bits : {31U, 32U, 33U, 39U, 40U, 41U}) {
    EXPECT_EQ(fault_at_some(VariablePhilox<>(bits, 5)), "") << bits;
    EXPECT_EQ(fault_at_some(LinearCongruential(bits, 5)), "") << bits;
  }
  for (const std::uint64_t size : {two_to_32 - 1, two_to_32, two_to_32 + 1, two_to_32 - 65'536,
                                   two_to_32 + 65'537, max_keys - 1, max_keys}) {
    EXPECT_EQ(fault_at_some(ProductFeistel<>(size, 5)), "") << size;
    EXPECT_EQ(fault_at_some(lazy_permutation(size, 5)), "") << size;
  }
}

TEST(Bijections, LargeOnesReachAllParts) {
  // The images of 2^16 successive numbers: each sixteenth of the range receives about as many.
  // Binomial, 4096 +- 62; the limit is seven standard deviations.
  const auto check = [](const auto& bijection) {
    std::vector<int> counts(16);
    for (std::uint64_t i = 0; i < 65'536; ++i) {
      ++counts[bijection(i) / ((bijection.size() + 15) / 16)];
    }
    for (const int count : counts) EXPECT_NEAR(count, 4096, 434);
  };
  check(VariablePhilox<>(40, 3));
  check(VariablePhilox<>(33, 3));
  check(ProductFeistel<>(max_keys, 3));
  check(ProductFeistel<>(two_to_32 + 1, 3));
  check(lazy_permutation(two_to_32 - 1, 3));
}

// ---- permutations of any size

TEST(CycleWalk, IsAPermutationForEverySmallSize) {
  for (std::uint64_t size = 1; size <= 3000; ++size) {
    ASSERT_EQ(lazy_permutation(size, 11).size(), size);
    ASSERT_EQ(fault(lazy_permutation(size, 11)), "") << size;
  }
  for (std::uint64_t size = 1; size <= 300; ++size) {
    ASSERT_EQ(fault(CycleWalk(size, VariablePhilox<>::of_at_least(size, 2))), "") << size;
    ASSERT_EQ(fault(CycleWalk(size, LinearCongruential::of_at_least(size, 2))), "") << size;
    // Also from a bijection of a much larger set.
    ASSERT_EQ(fault(CycleWalk(size, VariablePhilox<>(12, 2))), "") << size;
  }
}

TEST(CycleWalk, IsAPermutationAroundPowersOfTwo) {
  for (unsigned bits = 12; bits <= 17; ++bits) {
    for (const std::uint64_t size : {(1ULL << bits) - 1, 1ULL << bits, (1ULL << bits) + 1}) {
      EXPECT_EQ(fault(lazy_permutation(size, 4)), "") << size;
    }
  }
}

TEST(CycleWalk, KeepsTheImagesThatLieInside) {
  const VariablePhilox<> bijection(10, 6);
  const CycleWalk walk(700, bijection);
  std::uint64_t outside = 0;
  for (std::uint64_t i = 0; i < 700; ++i) {
    if (bijection(i) < 700) {
      EXPECT_EQ(walk(i), bijection(i));
    } else {
      ++outside;
      std::uint64_t expected = bijection(i);
      while (expected >= 700) expected = bijection(expected);
      EXPECT_EQ(walk(i), expected);
    }
    EXPECT_EQ(walk[i], walk(i));
  }
  EXPECT_GT(outside, 100);
  EXPECT_EQ(walk.bijection()(3), bijection(3));
}

TEST(LazyPermutation, IsEvenAndOddEquallyOften) {
  // Includes sizes without cycle walking: 36, 64 and 1024 are products of both sides. 1000 +- 22;
  // the limit is seven standard deviations.
  for (const std::uint64_t size : {2ULL, 3ULL, 6ULL, 36ULL, 37ULL, 64ULL, 1000ULL, 1024ULL}) {
    int odd = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      odd += is_odd(lazy_permutation(size, seed)) ? 1 : 0;
    }
    EXPECT_NEAR(odd, 1000, 157) << size;
  }
}

// ---- seeds and sizes

TEST(Seeds, GiveUnrelatedPermutations) {
  // Two random permutations agree at one place on average (Poisson): 2000 +- 45 for 2000 pairs; the
  // limit is seven standard deviations. (A permutation of more numbers than are examined agrees at
  // fewer places.)
  constexpr std::uint64_t pairs = 2000;
  for (const std::uint64_t distance : {std::uint64_t{1}, two_to_32, std::uint64_t{1} << 63}) {
    std::uint64_t lazy = 0;
    std::uint64_t philox = 0;
    for (std::uint64_t seed = 0; seed < pairs; ++seed) {
      lazy += agreements(lazy_permutation(500, seed), lazy_permutation(500, seed + distance), 500);
      philox += agreements(VariablePhilox<>(9, seed), VariablePhilox<>(9, seed + distance), 512);
    }
    EXPECT_NEAR(static_cast<double>(lazy), pairs, 313) << distance;
    EXPECT_NEAR(static_cast<double>(philox), pairs, 313) << distance;
  }
}

TEST(Sizes, GiveUnrelatedPermutations) {
  // As above; each pair of permutations agrees at 500 / 501 places on average.
  constexpr std::uint64_t pairs = 2000;
  std::uint64_t lazy = 0;
  std::uint64_t kinds = 0;
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    lazy += agreements(lazy_permutation(500, seed), lazy_permutation(501, seed), 500);
    kinds += agreements(VariablePhilox<>(8, seed), ProductFeistel<>(256, seed), 256);
  }
  EXPECT_NEAR(static_cast<double>(lazy), pairs, 313);
  EXPECT_NEAR(static_cast<double>(kinds), pairs, 313);
}

TEST(RoundKeys, DifferBySeedSizeAndUse) {
  std::set<std::uint32_t> words;
  std::size_t expected = 0;
  for (const KeyUse use : {KeyUse::variable_philox, KeyUse::linear_congruential,
                           KeyUse::product_feistel, KeyUse::darts}) {
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{2}, max_keys}) {
      for (const std::uint64_t seed : {0ULL, 1ULL}) {
        const RoundKeys<24> keys = round_keys<24>(seed, size, use);
        words.insert(std::begin(keys.key), std::end(keys.key));
        expected += 24;
        // Fewer rounds use a prefix of the same keys.
        const RoundKeys<6> fewer = round_keys<6>(seed, size, use);
        EXPECT_TRUE(std::equal(std::begin(fewer.key), std::end(fewer.key), keys.key));
      }
    }
  }
  EXPECT_EQ(words.size(), expected);
}

// ---- the iterator

TEST(Iterator, IsRandomAccess) {
  const LazyPermutation permutation = lazy_permutation(1000, 8);
  const auto begin = permutation.begin();
  const auto end = permutation.end();
  EXPECT_EQ(end - begin, 1000);
  EXPECT_EQ(std::distance(begin, end), 1000);
  EXPECT_EQ(*begin, permutation(0));
  EXPECT_EQ(begin[999], permutation(999));
  EXPECT_EQ(*(begin + 7), permutation(7));
  EXPECT_EQ(*(7 + begin), permutation(7));
  EXPECT_EQ(*(end - 1), permutation(999));
  EXPECT_EQ((end - 10)[3], permutation(993));
  EXPECT_TRUE(begin < end && begin <= end && end > begin && end >= begin && begin != end);
  EXPECT_TRUE(begin + 1000 == end);
  auto moving = begin;
  EXPECT_EQ(*moving++, permutation(0));
  EXPECT_EQ(*moving, permutation(1));
  EXPECT_EQ(*++moving, permutation(2));
  EXPECT_EQ(*moving--, permutation(2));
  EXPECT_EQ(*--moving, permutation(0));
  moving += 500;
  EXPECT_EQ(*moving, permutation(500));
  moving -= 100;
  EXPECT_EQ(moving - begin, 400);
}

TEST(Iterator, GoesWithTheStandardAlgorithms) {
  const LazyPermutation permutation = lazy_permutation(1000, 8);
  const std::vector<std::uint64_t> values(permutation.begin(), permutation.end());
  ASSERT_EQ(values.size(), 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], permutation(i));
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{421}, std::uint64_t{999}}) {
    const auto found = std::find(permutation.begin(), permutation.end(), value);
    EXPECT_EQ(found - permutation.begin(), static_cast<std::ptrdiff_t>(permutation.inverse(value)));
  }
  EXPECT_EQ(std::find(permutation.begin(), permutation.end(), 1000U), permutation.end());
  const std::vector<std::uint64_t> backwards(std::make_reverse_iterator(permutation.end()),
                                             std::make_reverse_iterator(permutation.begin()));
  EXPECT_TRUE(std::equal(backwards.rbegin(), backwards.rend(), values.begin(), values.end()));
  std::uint64_t sum = 0;
  for (const std::uint64_t value : permutation) sum += value;
  EXPECT_EQ(sum, 499'500);
  EXPECT_EQ(std::ranges::max(permutation), 999);
}

TEST(Iterator, ReachesTheEndsOfTheLargest) {
  const LazyPermutation permutation = lazy_permutation(max_keys, 8);
  EXPECT_EQ(permutation.end() - permutation.begin(), static_cast<std::ptrdiff_t>(max_keys));
  EXPECT_EQ(*(permutation.end() - 1), permutation(max_keys - 1));
}

// ---- invalid sizes

TEST(RequireSize, ThrowsAndNamesTheArgument) {
  EXPECT_NO_THROW(require_size(1, "size"));
  EXPECT_NO_THROW(require_size(max_keys, "size"));
  for (const std::uint64_t bad : {std::uint64_t{0}, max_keys + 1, ~std::uint64_t{0}}) {
    try {
      require_size(bad, "argument 'keys'");
      ADD_FAILURE() << bad << " was accepted";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("argument 'keys' is " + std::to_string(bad)), std::string::npos)
          << message;
    }
  }
}

// The values of the bijections at the time of the recorded runs. The test of the paper
// distinguishes 16 rounds from 24 only with many more permutations than a unit test can draw.
TEST(Bijections, AreTheOnesOfTheRecords) {
  static_assert(VariablePhilox<>::round_count() == 24);
  static_assert(ProductFeistel<>::round_count() == 24);
  const VariablePhilox<> odd(9, 1);
  const VariablePhilox<> even(40, 77);
  const LazyPermutation few = lazy_permutation(1000, 1);
  const LazyPermutation many = lazy_permutation(max_keys, 77);
  const LinearCongruential lcg(20, 3);
  const std::uint64_t expected[3][6] = {{0, 161, 244727846796, 361, 258384336706, 849976},
                                        {1, 289, 546068142736, 146, 11296480761, 374421},
                                        {300, 437, 983218201905, 372, 924441790064, 789812}};
  for (const auto& [i, in_odd, in_even, in_few, in_many, in_lcg] : expected) {
    EXPECT_EQ(odd(i), in_odd);
    EXPECT_EQ(even(i), in_even);
    EXPECT_EQ(few(i), in_few);
    EXPECT_EQ(many(i), in_many);
    EXPECT_EQ(lcg(i), in_lcg);
  }
}

/// Counts dependences between places at a fixed distance in a permutation of a block of samples
/// (`DirectSectionedGpuSampler`). Over all distances and seeds, the false-alarm rate is 10^-6.
template <unsigned rounds>
unsigned dependences(std::uint64_t size) {
  constexpr Index bins = 16;
  constexpr std::uint64_t orders = 10;
  const std::vector<double> p(bins, 1.0 / bins);
  const auto row = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size)));
  const std::vector<std::uint64_t> lags{1,   2,       3,       row - 2, row - 1,
                                        row, row + 1, row + 2, 2 * row, size / 2};
  unsigned found = 0;
  for (std::uint64_t seed = 0; seed < orders; ++seed) {
    const CycleWalk<ProductFeistel<rounds>> order(size, ProductFeistel<rounds>(size, seed));
    std::vector<Index> bin_of(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      bin_of[i] = static_cast<Index>(order(i) * bins / size);
    }
    for (const std::uint64_t lag : lags) {
      const verification::PairOptions pairs{.lag = lag, .bins = bins};
      const double level = 1e-6 / static_cast<double>(orders * lags.size());
      if (!verification::pair_independence(bin_of, p, pairs).passes(level)) ++found;
    }
  }
  return found;
}

// Ten rounds suffice for a large block.
TEST(ProductFeistel, TenRoundsMixALargeBlock) {
  for (const std::uint64_t size : {1U << 18, 1U << 21}) {
    EXPECT_EQ(dependences<10>(size), 0U) << size;
    EXPECT_EQ(dependences<6>(size), 0U) << size << ", and four rounds less would do";
    EXPECT_GT(dependences<2>(size), 0U) << size << ": the test finds nothing";
  }
}

/// Chi-squared test of the places of the first two of `size` items over 200,000 seeds: all pairs of
/// places are equally likely.
template <unsigned rounds>
verification::StatisticalReport places_of_two(Index size) {
  verification::Counts counts(std::size_t{size} * size, 0);
  std::vector<double> p(counts.size(), 1.0 / (size * (size - 1.0)));
  for (Index i = 0; i < size; ++i) p[std::size_t{i} * size + i] = 0;
  for (std::uint64_t seed = 0; seed < 200'000; ++seed) {
    const CycleWalk<ProductFeistel<rounds>> order(size, ProductFeistel<rounds>(size, seed));
    ++counts[order(0) * size + order(1)];
  }
  return verification::chi_squared(counts, p, 20);
}

// For few items ten rounds do not suffice: a sampler that permutes small blocks needs all rounds.
TEST(ProductFeistel, TenRoundsDoNotMixFewItems) {
  for (const Index size : {8U, 12U}) {
    EXPECT_TRUE(places_of_two<24>(size).passes(1e-6)) << size;
    EXPECT_FALSE(places_of_two<10>(size).passes(1e-12)) << size;
  }
}

// A limitation that the header documents.
TEST(VariablePhilox, IsAlwaysEven) {
  for (const unsigned bits : {4U, 5U, 6U, 7U, 8U}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      EXPECT_FALSE(is_odd(VariablePhilox<>(bits, seed))) << bits << " " << seed;
    }
  }
}

}  // namespace
}  // namespace wrsgpu::shuffle
