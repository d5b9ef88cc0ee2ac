// Drawing with a view: from words and from any generator, one by one and in batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "remapped_numbers.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/random/generator.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu::verification {
namespace {

constexpr double level = suite_budget.level();

// Integers are rejected, because not all of their bits need be random: the result of std::mt19937
// has the type of a word where both are `unsigned long`.
template <class View>
constexpr bool takes_no_integers =
    !std::invocable<View, std::uint32_t> && !std::invocable<View, std::uint64_t> &&
    !std::invocable<View, int> && !std::invocable<View, unsigned long long> &&
    !std::invocable<View, std::mt19937::result_type> &&
    !std::invocable<View, std::mt19937_64::result_type>;
template <class View>
constexpr bool takes_generators =
    std::invocable<View, RandomWord>&& std::invocable<View, std::mt19937&>&&
        std::invocable<View, std::mt19937_64&>&& std::invocable<View, std::minstd_rand&>&&
            std::invocable<View, std::random_device&> &&
    !std::invocable<View, std::mt19937>;
static_assert(takes_no_integers<SamplerView> && takes_generators<SamplerView>);
static_assert(takes_no_integers<SamplerViewWithProbabilities> &&
              takes_generators<SamplerViewWithProbabilities>);
static_assert(std::constructible_from<RandomWord, std::uint64_t> &&
              std::constructible_from<RandomWord, unsigned long long>);
static_assert(!std::constructible_from<RandomWord, std::uint32_t> &&
              !std::constructible_from<RandomWord, int> &&
              !std::constructible_from<RandomWord, std::int64_t> &&
              !std::constructible_from<RandomWord, double>);
static_assert(RandomWord(0x89AB'CDEFU, 0x0123'4567U).bits() == 0x89AB'CDEF'0123'4567U);

std::vector<double> power_law(Index items) {
  return find_weight_family("powerlaw_1_shuffled").make(items);
}

/// Returns min, min + 1, ..., max, min, ...
template <class T, T minimum, T greatest>
class CountingGenerator {
 public:
  using result_type = T;  // NOLINT(readability-identifier-naming): the standard's name
  static constexpr T min() { return minimum; }
  static constexpr T max() { return greatest; }
  T operator()() {
    const T result = next_;
    next_ = static_cast<T>(next_ == greatest ? minimum : next_ + 1);
    return result;
  }

 private:
  T next_ = minimum;
};

TEST(UniformWord64, JoinsTheBitsOfResults) {
  CountingGenerator<std::uint8_t, 0, 255> bytes;
  EXPECT_EQ(random::uniform_word64(bytes), 0x0001'0203'0405'0607U);
  EXPECT_EQ(random::uniform_word64(bytes), 0x0809'0A0B'0C0D'0E0FU);
  CountingGenerator<std::uint32_t, 0, 0xFFFF'FFFF> halves;  // the first is the low half
  EXPECT_EQ(random::uniform_word64(halves), 0x0000'0001'0000'0000U);
  CountingGenerator<std::uint64_t, 0, ~std::uint64_t{0}> words;
  EXPECT_EQ(random::uniform_word64(words), 0U);
  EXPECT_EQ(random::uniform_word64(words), 1U);
  CountingGenerator<std::uint32_t, 5, 6> bits;  // 0, 1, 0, 1, ...
  EXPECT_EQ(random::uniform_word64(bits), 0x5555'5555'5555'5555U);
  CountingGenerator<std::uint32_t, 1, 0xFFFF'FFFF> no_zero;  // 31 bits each, starting at 0
  EXPECT_EQ(random::uniform_word64(no_zero), (std::uint64_t{1} << 31) + 2);
}

// The results 0 to 3 of a die give two bits each; 4 and 5 are rejected.
TEST(UniformWord64, DrawsResultsBeyondAPowerOfTwoAgain) {
  CountingGenerator<unsigned, 1, 6> die;
  EXPECT_EQ(random::uniform_word64(die), 0x1B1B'1B1B'1B1B'1B1BU);
}

template <class Generator>
void expect_right_items(const std::string& name, Generator generator) {
  SCOPED_TRACE(name);
  const std::vector<double> weights = power_law(1000);
  const WeightedSampler sampler(weights);
  const SamplerView view = sampler.view();
  std::vector<Index> out(300'001);
  Generator same = generator;
  view.draw(generator, out);
  EXPECT_EQ(failures(test_samples(out, weights), level), "");
  for (const Index item : out) ASSERT_EQ(view(same).item, item);
  EXPECT_EQ(generator, same);  // both have drawn the same number of words
}

TEST(SamplerView, DrawsFromAnyGenerator) {
  expect_right_items("mt19937", std::mt19937(7));
  expect_right_items("mt19937_64", std::mt19937_64(7));
  expect_right_items("minstd_rand", std::minstd_rand(7));
  expect_right_items("ranlux24", std::ranlux24_base(7));
  expect_right_items("ranlux48", std::ranlux48_base(7));
  expect_right_items("11 bits", std::independent_bits_engine<std::mt19937, 11, std::uint32_t>(7));
}

// A mistake that the type RandomWord prevents: 32 random bits in a 64-bit integer.
TEST(SamplerView, HalfARandomWordIsNoticed) {
  const std::vector<double> weights = power_law(1000);
  const WeightedSampler sampler(weights);
  std::mt19937 generator(7);
  std::vector<Index> out(300'001);
  for (Index& item : out) item = sampler.view()(RandomWord(std::uint64_t{generator()})).item;
  EXPECT_NE(failures(test_samples(out, weights), level), "");
}

TEST(SamplerView, ProbabilitiesComeWithGenerators) {
  const WeightedSampler sampler(power_law(1000), {.with_probabilities = true});
  const SamplerViewWithProbabilities view = sampler.view_with_probabilities();
  std::mt19937_64 one(7);
  std::mt19937_64 other(7);
  for (int k = 0; k < 1000; ++k) {
    const ChoiceWithProbability choice = view(one);
    EXPECT_EQ(choice.item, sampler.view()(other).item);
    EXPECT_EQ(choice.probability, view.probability(choice.item));
  }
}

// Rows of hand-made tables, at both ends of each part.
TEST(SamplerView, RemapsTheEndsOfEachPart) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  for (const Index threshold : {0U, 1U, 2U, 0x8000'0000U, 0xFFFF'FFFEU, 0xFFFF'FFFFU}) {
    CompactRow row{threshold, 0};  // a single row, so that the word is the fraction
    const SamplerView view(CompactRows(&row, 1));
    const std::uint64_t begin = std::uint64_t{threshold} << 32;  // of the alias's part
    EXPECT_EQ(view(RandomWord(begin)).remapped, 0);
    EXPECT_GT(view(RandomWord(all)).remapped, 0.999F);
    EXPECT_LT(view(RandomWord(all)).remapped, 1);
    if (threshold == 0) continue;
    EXPECT_EQ(view(RandomWord(0, 0)).remapped, 0);
    EXPECT_NEAR(view(RandomWord(begin / 2)).remapped, 0.5, 1e-6);
    EXPECT_GT(view(RandomWord(begin - 1)).remapped, 0.999F);
    EXPECT_LT(view(RandomWord(begin - 1)).remapped, 1);
  }
}

// Three tests of at most 10^-12 false alarms for each family.
TEST(SamplerView, RemappedNumbersAreUniformWhateverTheItem) {
  for (const char* family : {"powerlaw_1_shuffled", "uniform", "one_heavy_last"}) {
    const std::vector<double> weights = find_weight_family(family).make(50);
    const WeightedSampler sampler(weights);
    const RemappedReport report = test_remapped(make_choices(sampler.view()), weights);
    EXPECT_TRUE(report.passes(level)) << family << ": " << to_string(report);
  }
}

TEST(SamplerView, BiasOfRemappedNumbersIsNoticed) {
  const std::vector<double> weights = power_law(50);
  const WeightedSampler sampler(weights);
  const SamplerView view = sampler.view();
  const auto with = [&](const auto& change) {
    return test_remapped(make_choices([&](RandomWord word) { return change(view(word), word); }),
                         weights);
  };
  // The fraction before the remapping: uniform, but dependent on the item.
  const RemappedReport dependent = with([&](const Choice& choice, RandomWord word) {
    const std::uint64_t fraction = choose_row(word.bits(), view.size()).fraction;
    return Choice{choice.item, random::unit_float(static_cast<std::uint32_t>(fraction >> 32))};
  });
  EXPECT_FALSE(dependent.joint.passes(level));
  EXPECT_FALSE(dependent.given_item.passes(level));
  EXPECT_TRUE(dependent.uniform.passes(level));
  // Half a percent too small.
  const RemappedReport shrunk = with([](const Choice& choice, RandomWord) {
    return Choice{choice.item, choice.remapped * 0.995F};
  });
  EXPECT_FALSE(shrunk.uniform.passes(level));
  // One item in a hundred is replaced by another.
  const RemappedReport items = with([](const Choice& choice, RandomWord word) {
    return Choice{word.bits() % 100 == 0 ? (choice.item + 1) % 50 : choice.item, choice.remapped};
  });
  EXPECT_FALSE(items.joint.passes(level));
  // The heaviest item's number has only five bits.
  const Index heaviest =
      static_cast<Index>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  const RemappedReport coarse = with([&](const Choice& choice, RandomWord) {
    const float few_bits = std::floor(choice.remapped * 32) / 32;
    return Choice{choice.item, choice.item == heaviest ? few_bits : choice.remapped};
  });
  EXPECT_FALSE(coarse.given_item.passes(level));
  EXPECT_EQ(coarse.given_item.detail, "item " + std::to_string(heaviest));
  EXPECT_TRUE(coarse.joint.passes(level));
}

/// The mass of each item, in units of 2^-32 of a bucket, added up over the rows.
std::vector<std::uint64_t> masses_of(const HostTable& table) {
  std::vector<std::uint64_t> masses(table.size());
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      const auto own = static_cast<std::uint64_t>(rows.own(row));
      masses[i] += own;
      masses[rows.alias(row)] += fixed_bucket - own;
    }
  });
  return masses;
}

// A long double holds every mass, and its quotient by N 2^32 is off by at most 2^-64 of itself. A
// float rounded from a double, which is rounded from the quotient of a rounded mass, by at most
// 2^-24 (1 + 2^-27).
TEST(SamplerView, ProbabilitiesAreTheMassesOfTheRows) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  for (const WeightFamily& family : weight_families()) {
    for (const Index items : {1U, 3U, 2048U, 5000U}) {
      const WeightedSampler sampler(family.make(items), {.with_probabilities = true});
      const SamplerViewWithProbabilities view = sampler.view_with_probabilities();
      const std::vector<std::uint64_t> masses = masses_of(sampler.table());
      for (Index i = 0; i < items; ++i) {
        const long double exact = static_cast<long double>(masses[i]) / 0x1p32L / items;
        const long double error = std::abs(static_cast<long double>(view.probability(i)) - exact);
        ASSERT_LE(error, exact * 0x1p-24L * (1 + 0x1p-27L)) << family.name << ", item " << i;
      }
    }
  }
}

TEST(SamplerView, ProbabilitiesOfPowersOfTwoAreExact) {
  const std::vector<double> weights{1, 1, 2, 4, 8, 16, 0, 32};  // of 64
  const WeightedSampler sampler(weights, {.with_probabilities = true});
  for (Index i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(sampler.view_with_probabilities().probability(i),
              static_cast<float>(weights[i] / 64));
  }
}

TEST(SamplerView, DrawsManyWordsAtOnce) {
  for (const Index items : {1U, 3U, 100'000U}) {
    const WeightedSampler sampler(power_law(items));
    const SamplerView view = sampler.view();
    for (const std::size_t samples : {0UL, 1UL, 255UL, 256UL, 257UL, 10'000UL}) {
      std::vector<std::uint64_t> words(samples);
      for (std::size_t k = 0; k < samples; ++k) words[k] = random::philox_word(7, 3 + k);
      std::vector<Index> out(samples + 1, 77);
      view.draw(words, std::span(out).first(samples));
      EXPECT_EQ(out.back(), 77U);
      out.pop_back();
      for (std::size_t k = 0; k < samples; ++k) {
        ASSERT_EQ(out[k], view(RandomWord(words[k])).item);
      }
    }
  }
}

TEST(SamplerView, RefusesAnotherNumberOfWords) {
  const WeightedSampler sampler({1, 2, 3});
  const std::vector<std::uint64_t> words(3);
  std::vector<Index> out(4, 77);
  EXPECT_EQ(error_of([&] { sampler.view().draw(words, out); }),
            "draw: argument 'words' has 3 elements, argument 'out' 4");
  EXPECT_EQ(out, std::vector<Index>(4, 77));
}

}  // namespace
}  // namespace wrsgpu::verification
