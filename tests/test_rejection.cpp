// Rejection sampling of Bringmann and Larsen, and the bit vector of its succinct form.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cpu_reference/rank_bit_vector.hpp"
#include "cpu_reference/rejection.hpp"
#include "cpu_reference/rejection_succinct.hpp"
#include "registry/verify.hpp"
#include "variant_printing.hpp"
#include "verification/reconstruction.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

constexpr std::uint64_t seed = 2013;

std::vector<Index> draw(const SamplingAlgorithm& from, std::size_t samples, RandomState state) {
  std::vector<Index> out(samples, 0xFFFF'FFFFU);
  from.sample(out, state);
  return out;
}

/// Compares with naive counting, bit by bit.
void expect_counts(const std::vector<bool>& bits) {
  RankBitVector vector(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) vector.set(i);
  }
  vector.count_blocks();
  ASSERT_EQ(vector.size(), bits.size());
  std::uint32_t ones = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) ++ones;
    ASSERT_EQ(vector[i], bits[i]) << "bit " << i;
    ASSERT_EQ(vector.ones_up_to(i), ones) << "bit " << i << " of " << bits.size();
  }
}

TEST(RankBitVector, CountsTheOnes) {
  for (const std::size_t size :
       {1U, 2U, 63U, 64U, 65U, 127U, 128U, 511U, 512U, 513U, 1023U, 1024U, 1025U, 5000U}) {
    expect_counts(std::vector<bool>(size, false));
    expect_counts(std::vector<bool>(size, true));
    for (const std::uint64_t one_in : {2U, 7U, 300U}) {
      std::vector<bool> bits(size);
      for (std::size_t i = 0; i < size; ++i) bits[i] = random::philox_word(size, i) % one_in == 0;
      expect_counts(bits);
    }
    std::vector<bool> ends(size, false);
    ends.front() = ends.back() = true;
    expect_counts(ends);
  }
}

TEST(RankBitVector, NeedsOneSixteenthMoreThanItsBits) {
  const RankBitVector vector(1 << 20);
  EXPECT_EQ(vector.bytes(), (1U << 17) + (1U << 13));
}

/// One form in one arithmetic.
class RejectionSuite : public testing::TestWithParam<Variant> {
 protected:
  std::unique_ptr<SamplingAlgorithm> make(unsigned threads = 1) const {
    TableOptions options = GetParam().options;
    options.threads = threads;
    return GetParam().method->make(options);
  }
};

TEST_P(RejectionSuite, SamplesHaveTheDistributionOfTheWeights) {
  for (const char* family : {"ramp", "zeros_and_ones", "one_heavy_first", "uniform", "equal_tenth",
                             "sixty_orders", "powerlaw_1_shuffled", "denormal", "mostly_zeros"}) {
    for (const Index n : {1U, 2U, 3U, 1000U}) {
      SCOPED_TRACE(std::string(family) + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = find_weight_family(family).make(n);
      const auto built = make(2);
      built->build(weights);
      const std::vector<Index> samples = draw(*built, 500'000, {seed, 0});
      EXPECT_EQ(failures(test_samples(samples, weights), suite_budget.level()), "");
    }
  }
}

TEST_P(RejectionSuite, SamplesDoNotDependOnThreadsOrOnTheLengthOfTheDraw) {
  const std::vector<double> weights = find_weight_family("uniform").make(1000);
  const auto one = make(1);
  one->build(weights);
  const std::vector<Index> expected = draw(*one, 50'001, {seed, 9});
  for (const unsigned threads : {2U, 3U, 7U}) {
    const auto more = make(threads);
    more->build(weights);
    EXPECT_TRUE(draw(*more, 50'001, {seed, 9}) == expected) << threads << " threads";
    const std::vector<Index> some = draw(*more, 7'000, {seed, 9});
    EXPECT_TRUE(std::equal(some.begin(), some.end(), expected.begin()));
  }
  // Sample k uses word offset + k, regardless of rejections in earlier samples.
  const std::vector<Index> later = draw(*one, 50'000, {seed, 10});
  EXPECT_TRUE(std::equal(later.begin(), later.end(), expected.begin() + 1));
}

TEST_P(RejectionSuite, DrawsOnAfterAFailedBuild) {
  const auto built = make();
  built->build(std::vector<double>{1, 2, 0, 4});
  const std::vector<Index> before = draw(*built, 1000, {seed, 0});
  EXPECT_THROW(built->build(std::vector<double>{1, 2, -1, 4, 5}), Error);
  EXPECT_THROW(built->build(std::vector<double>{0, 0}), Error);
  EXPECT_EQ(draw(*built, 1000, {seed, 0}), before);
}

INSTANTIATE_TEST_SUITE_P(, RejectionSuite, testing::ValuesIn([] {
                           std::vector<Variant> all = all_variants(find_method("rejection"), 1);
                           for (Variant& succinct :
                                all_variants(find_method("rejection_succinct"), 1)) {
                             all.push_back(std::move(succinct));
                           }
                           return all;
                         }()),
                         [](const auto& instance) { return test_name(instance.param.name); });

const TableOptions exact{Arithmetic::fixed_point, Layout::wide_rows, 1};
const TableOptions floating{Arithmetic::floating, Layout::wide_rows, 1};

TEST(Rejection, BothFormsAreTheSameAndAcceptMoreThanHalf) {
  for (const TableOptions& options : {exact, floating}) {
    for (const WeightFamily& family : weight_families()) {
      for (const Index n : {1U, 2U, 3U, 7U, 255U, 256U, 257U, 4097U}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        const std::vector<double> weights = family.make(n);
        Rejection array(options);
        array.build(weights);
        RejectionSuccinct bits(options);
        bits.build(weights);
        ASSERT_EQ(array.probabilities(), bits.probabilities());
        ASSERT_EQ(draw(array, 1000, {seed, 0}), draw(bits, 1000, {seed, 0}));
        EXPECT_EQ(array.acceptance(), bits.acceptance());
        EXPECT_GT(array.acceptance(), 0.5);
        EXPECT_LE(array.acceptance(), 1.0);
        const TableReport report = verify(array, weights);
        EXPECT_TRUE(report.ok) << report.message;
        // The shares, and at most 2N cells of 4 bytes, or of 1 + 1/16 bits in whole words and
        // blocks.
        EXPECT_LE(array.bytes(), std::size_t{n} * (8 + 4 * 2));
        EXPECT_LE(bits.bytes(), 8 * std::size_t{n} + 8 * (2 * std::size_t{n} / 64 + 1) +
                                    4 * (2 * std::size_t{n} / 512 + 1));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Rejection, EqualWeightsAreNeverRejected) {
  Rejection rejection(exact);
  rejection.build(std::vector<double>(1000, 0.1));
  EXPECT_EQ(rejection.acceptance(), 1.0);
  // One cell each.
  EXPECT_EQ(rejection.bytes(), 1000 * (8 + 4));
}

// One item has all the mass: it has N cells and each other item has one, which always rejects.
TEST(Rejection, ZeroWeightItemsAreAlwaysRejected) {
  const Index n = 100;
  for (const TableOptions& options : {exact, floating}) {
    RejectionSuccinct rejection(options);
    std::vector<double> weights(n, 0.0);
    weights[37] = 5;
    rejection.build(weights);
    EXPECT_DOUBLE_EQ(rejection.acceptance(), n / (2.0 * n - 1));
    EXPECT_EQ(draw(rejection, 10'000, {seed, 0}), std::vector<Index>(10'000, 37));
  }
}

/// Evaluates the definition, sample by sample, in integers and without a data structure.
Index defined_sample(const std::vector<std::uint64_t>& masses, RandomState state,
                     std::uint64_t index) {
  using Wide = WideInteger;
  std::vector<std::pair<Index, std::uint64_t>> cells;  // item, threshold of the cell out of 2^32
  for (Index i = 0; i < masses.size(); ++i) {
    const std::uint64_t others = masses[i] == 0 ? 0 : (masses[i] - 1) >> 32;
    cells.emplace_back(i, masses[i] - (others << 32));
    for (std::uint64_t k = 0; k < others; ++k) cells.emplace_back(i, std::uint64_t{1} << 32);
  }
  for (std::uint32_t attempt = 0;; ++attempt) {
    const std::uint64_t word = random::SplitWords<>(state.seed).word(state.offset + index, attempt);
    const Wide product = Wide{word} * cells.size();
    const auto& [item, accepts] = cells[static_cast<std::size_t>(product >> 64)];
    if (static_cast<std::uint64_t>(product) >> 1 < accepts << 31) return item;
  }
}

// An error of one percent in a share changes one sample in several hundred.
TEST(RejectionSamples, AreThoseOfTheDefinition) {
  const TableOptions options{Arithmetic::fixed_point, Layout::wide_rows, 2};
  const std::vector<std::vector<double>> cases{
      {1, 3}, {1, 1, 1}, {0, 1, 2, 0, 5}, {1e-6, 1}, {1, 2, 3, 4, 5, 6, 7, 100}};
  for (const std::vector<double>& weights : cases) {
    const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
    const std::vector<std::uint64_t> copy(masses.data(), masses.data() + masses.size());
    Rejection array(options);
    RejectionSuccinct bits(options);
    array.build(weights);
    bits.build(weights);
    const RandomState state{seed, 77};
    const std::vector<Index> from_array = draw(array, 50'000, state);
    const std::vector<Index> from_bits = draw(bits, 50'000, state);
    for (std::uint64_t k = 0; k < from_array.size(); ++k) {
      const Index expected = defined_sample(copy, state, k);
      ASSERT_EQ(from_array[k], expected) << "sample " << k;
      ASSERT_EQ(from_bits[k], expected) << "sample " << k;
    }
  }
}

}  // namespace
}  // namespace wrsgpu::verification
