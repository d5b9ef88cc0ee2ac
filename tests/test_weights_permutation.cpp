// The pseudo-random permutations of shuffled weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "wrsgpu/detail/weights/blocks.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::shuffle {
namespace {

template <class Bijection>
bool is_bijection_of(const Bijection& bijection, std::uint64_t size) {
  std::vector<bool> seen(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t value = bijection(static_cast<std::uint32_t>(i));
    if (value >= size || seen[value]) return false;
    seen[value] = true;
  }
  return true;
}

double chi_squared_p(const std::vector<std::uint64_t>& counts, double expected, double freedom) {
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  const boost::math::chi_squared distribution(freedom);
  return boost::math::cdf(boost::math::complement(distribution, statistic));
}

void expect_plausible(double p) {
  EXPECT_GT(p, 1e-4);
  EXPECT_LT(p, 1 - 1e-4);
}

TEST(FeistelBijection, IsOneForEveryNumberOfBits) {
  for (unsigned bits = 0; bits <= 18; ++bits) {
    for (const std::uint64_t seed : {0ULL, 1ULL, 0xFFFF'FFFF'FFFF'FFFFULL}) {
      EXPECT_TRUE(is_bijection_of(FeistelBijection(bits, seed), std::uint64_t{1} << bits)) << bits;
    }
  }
}

TEST(FeistelBijection, OfAll32BitsHasNoCollisionInItsFirstMillion) {
  const FeistelBijection bijection(32, 9);
  std::vector<std::uint32_t> values(1'000'000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = bijection(i);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
  EXPECT_GT(values.back(), 0xFFFF'0000U);
}

TEST(Permutation, IsOneForEverySmallSize) {
  for (std::uint64_t size = 1; size <= 1100; ++size) {
    for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 1ULL << 40}) {
      ASSERT_TRUE(is_bijection_of(Permutation(size, seed), size)) << size << " " << seed;
    }
  }
}

TEST(Permutation, IsOneAroundPowersOfTwo) {
  for (unsigned bits = 11; bits <= 20; ++bits) {
    for (const std::uint64_t size : {(1ULL << bits) - 1, 1ULL << bits, (1ULL << bits) + 1}) {
      EXPECT_TRUE(is_bijection_of(Permutation(size, 5), size)) << size;
    }
  }
}

TEST(Permutation, OfTheLargestSizesStaysInside) {
  for (const std::uint64_t size :
       {max_items, std::uint64_t{1} << 32, (std::uint64_t{1} << 31) + 1}) {
    const Permutation permutation(size, 3);
    std::set<Index> values;
    for (std::uint64_t i = size - 1000; i < size; ++i) {
      const Index value = permutation(static_cast<Index>(i));
      EXPECT_LT(value, size);
      EXPECT_TRUE(values.insert(value).second);
    }
  }
}

TEST(Permutation, BlocksAreTheSameAsItems) {
  for (const std::uint64_t size : {1ULL, 2ULL, 2047ULL, 2048ULL, 2049ULL, 5000ULL, 65'537ULL}) {
    const Permutation permutation(size, 17);
    std::vector<Index> block(weights::permuted_block_items);
    for (std::uint64_t begin = 0; begin < size; begin += block.size()) {
      block.resize(std::min<std::uint64_t>(block.size(), size - begin));
      weights::permuted_block(permutation, static_cast<Index>(begin), block);
      for (std::size_t k = 0; k < block.size(); ++k) {
        ASSERT_EQ(block[k], permutation(static_cast<Index>(begin + k)));
      }
    }
  }
}

// The test of the paper (section 5): all permutations of few items are equally likely.
TEST(Permutation, AllOrdersOfFewItemsAreEquallyLikely) {
  for (const std::uint64_t size : {2ULL, 3ULL, 4ULL, 5ULL, 6ULL}) {
    std::uint64_t orders = 1;
    for (std::uint64_t i = 2; i <= size; ++i) orders *= i;
    constexpr std::uint64_t each = 1000;
    std::map<std::array<Index, 6>, std::uint64_t> found;
    for (std::uint64_t seed = 0; seed < each * orders; ++seed) {
      const Permutation permutation(size, seed);
      std::array<Index, 6> order{};
      for (Index i = 0; i < size; ++i) order[i] = permutation(i);
      ++found[order];
    }
    EXPECT_EQ(found.size(), orders);
    std::vector<std::uint64_t> counts(orders - found.size());
    for (const auto& [order, count] : found) counts.push_back(count);
    SCOPED_TRACE(size);
    expect_plausible(chi_squared_p(counts, each, static_cast<double>(orders - 1)));
  }
}

// The places of two successive items are independent: their joint distribution over many seeds.
TEST(Permutation, NeighboursLandAnywhere) {
  constexpr std::uint64_t size = 1'000'003;
  constexpr std::uint64_t bins = 24;
  constexpr std::uint64_t each = 100;
  for (const Index first : {Index{0}, Index{524'287}}) {
    std::vector<std::uint64_t> counts(bins * bins);
    for (std::uint64_t seed = 0; seed < bins * bins * each; ++seed) {
      const Permutation permutation(size, seed);
      ++counts[permutation(first) * bins / size * bins + permutation(first + 1) * bins / size];
    }
    expect_plausible(chi_squared_p(counts, each, bins * bins - 1));
  }
}

// Within one permutation: the destinations of the items of each stretch. The row and column sums
// are fixed, so a table of bins^2 cells has (bins - 1)^2 degrees of freedom.
TEST(Permutation, ScattersEveryStretch) {
  for (const std::uint64_t size : {std::uint64_t{1} << 20, (std::uint64_t{1} << 20) + 256}) {
    constexpr std::uint64_t bins = 128;
    const Permutation permutation(size, 23);
    std::vector<std::uint64_t> counts(bins * bins);
    for (std::uint64_t i = 0; i < size; ++i) {
      ++counts[i * bins / size * bins + permutation(static_cast<Index>(i)) * bins / size];
    }
    const double expected = static_cast<double>(size) / (bins * bins);
    expect_plausible(chi_squared_p(counts, expected, (bins - 1) * (bins - 1)));
  }
}

}  // namespace
}  // namespace wrsgpu::shuffle
