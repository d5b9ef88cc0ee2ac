// Weighted sampling without replacement: the law of the exponential clocks, and the draw against
// all clocks in order. `gpu_test_choose.cu` compares the GPU with the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/error_message.hpp"
#include "tests/tied_clocks.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/detail/without_replacement/clock_cells.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {
namespace {

using detail::clock_key;
using detail::ClockKey;
using detail::Ringing;
using Items = std::vector<Index>;
using Weights = std::vector<double>;
using verification::Counts;
using verification::suite_budget;

template <class T>
Items chosen(const std::vector<T>& weights, std::size_t k, RandomState state,
             const ChooseOptions& options = {.threads = 1}) {
  Items out(k);
  out.resize(choose(weights, out, state, options));
  return out;
}

/// All items of positive weight in the order of their clocks.
template <class T>
Items all_in_order(const std::vector<T>& weights, RandomState state) {
  const random::SplitWords<> words(state.seed);
  std::vector<Ringing> ringing;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    ringing.push_back({clock_key(words.word(state.offset + i), weights[i]), static_cast<Index>(i)});
  }
  std::sort(ringing.begin(), ringing.end());
  Items items;
  for (const Ringing& ring : ringing) items.push_back(ring.item);
  return items;
}

TEST(Choose, TakesTheFirstClocksOfAll) {
  for (const auto& family : verification::weight_families()) {
    for (const Index items : {1U, 2U, 3U, 64U, 1000U, 4097U, 70'000U}) {
      const Weights weights = family.make(items);
      const RandomState state{items, 3};
      const Items all = all_in_order(weights, state);
      for (const std::size_t k : {std::size_t{1}, all.size() / 100, all.size() / 3, all.size()}) {
        if (k == 0) continue;
        const Items some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k));
        ASSERT_EQ(chosen(weights, k, state), some) << family.name << " " << k << " of " << items;
      }
    }
  }
}

TEST(Choose, TakesTheFirstOfMoreItemsThanItSamples) {
  for (const Index items : {1U << 18, (1U << 18) + 1, 1'000'000U}) {
    for (const char* const name : {"uniform", "zipf_shuffled", "one_heavy"}) {
      Weights weights(items);
      for (Index i = 0; i < items; ++i) {
        const std::uint64_t word = random::philox_word(7, i);
        const double u = static_cast<double>(word >> 11) * 0x1p-53 + 0x1p-54;
        weights[i] = name[0] == 'u' ? u : name[0] == 'z' ? 1 / std::ceil(u * items) : 1e-9;
      }
      if (name[0] == 'o') weights[items / 2] = 1e9;
      const std::vector<float> floats(weights.begin(), weights.end());
      const RandomState state{5, 1};
      const Items all = all_in_order(floats, state);
      for (const std::size_t k : {1U, 10U, 10'000U, 100'000U}) {
        const Items some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k));
        ASSERT_EQ(chosen(floats, k, state, {}), some) << name << " " << k << " of " << items;
      }
    }
  }
}

// The weights that the estimate takes are 1, all others small: 32 times as many clocks are expected
// as ring. So the first threshold is too early, and the second one too, slightly: items enough pass
// its superset test, but not all that come first. Only the third attempt finds them.
TEST(Choose, TakesTheFirstClocksWhereTheEstimateMisleads) {
  constexpr Index items = 1 << 20;
  constexpr Index k = 28'000;
  constexpr RandomState state{5, 1};
  const detail::ChoicePlan plan(items, k, 15);  // as in `choose`
  std::vector<float> weights(items, 0.0145F);
  for (Index j = 0; j < plan.sampled; ++j) {
    weights[detail::sampled_item(plan, items, state.seed, j)] = 1;
  }
  Items first = all_in_order(weights, state);
  first.resize(k);
  EXPECT_EQ(chosen(weights, k, state), first);
}

TEST(Choose, OfEqualClocksTakesTheFirstItem) {
  Weights weights(200'000, 1e-12);
  constexpr RandomState state{9, 0};
  const Items tied = tie_clocks(weights, state, 70'001, 10'000);  // of several tasks
  ASSERT_GT(tied.size(), 5U);
  for (const unsigned threads : {1U, 3U}) {
    for (const std::size_t k : {tied.size() / 2, tied.size()}) {
      const Items some(tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(k));
      EXPECT_EQ(chosen(weights, k, state, {.threads = threads}), some);
    }
  }
}

TEST(Choose, DependsNeitherOnTypesNorThreadsNorScale) {
  std::vector<float> floats(200'000);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(random::philox_word(1, i) >> 40) * (i % 7 == 0 ? 0.F : 1.F);
  }
  const Weights doubles(floats.begin(), floats.end());
  const RandomState state{11, 5};
  const Items first = chosen(floats, 5000, state);
  EXPECT_EQ(chosen(doubles, 5000, state), first);
  EXPECT_EQ(chosen(floats, 5000, state, {.threads = 3}), first);
  for (const double scale : {0x1p-900, 0x1p900}) {
    Weights scaled = doubles;
    for (double& weight : scaled) weight *= scale;
    EXPECT_EQ(chosen(scaled, 5000, state), first) << scale;
  }
  EXPECT_NE(chosen(floats, 5000, {11, 6}), first);
  EXPECT_NE(chosen(floats, 5000, {12, 5}), first);
}

TEST(Choose, OfAllPositiveItemsIsAPermutationOfThem) {
  Weights weights(300, 0);
  for (std::size_t i = 0; i < weights.size(); i += 3) {
    weights[i] = std::ldexp(1.5, static_cast<int>(7 * i) - 1074);
  }
  weights[0] = std::numeric_limits<double>::denorm_min();
  weights[299] = std::numeric_limits<double>::max();  // and so the sum of all overflows
  weights[297] = std::numeric_limits<double>::max();
  Items items = chosen(weights, 101, {1, 0});
  EXPECT_EQ(items.back(), 0U);  // 2^-1074 against 2^-1052 and more
  std::sort(items.begin(), items.end());
  Items expected;
  for (Index i = 0; i < 300; ++i) {
    if (weights[i] > 0) expected.push_back(i);
  }
  EXPECT_EQ(items, expected);
}

// ---------------------------------------------------------------------------------------------
// The law.

/// The probabilities of all ordered samples of `k` of a few items.
std::map<Items, double> ordered_samples(const Weights& weights, std::size_t k) {
  std::map<Items, double> samples{{{}, 1.0}};
  for (std::size_t drawn = 0; drawn < k; ++drawn) {
    std::map<Items, double> longer;
    for (const auto& [items, probability] : samples) {
      Weights left = weights;
      for (const Index item : items) left[item] = 0;
      const double total = std::accumulate(left.begin(), left.end(), 0.0);
      for (Index i = 0; i < left.size(); ++i) {
        if (left[i] == 0) continue;
        Items more = items;
        more.push_back(i);
        longer[more] = probability * left[i] / total;
      }
    }
    samples = std::move(longer);
  }
  return samples;
}

/// The p-value of `draws` samples that `draw(seed)` gives, by Pearson's test of all ordered ones.
template <class Draw>
double law_p(const Weights& weights, std::size_t k, std::uint64_t draws, const Draw& draw) {
  const std::map<Items, double> samples = ordered_samples(weights, k);
  std::map<Items, std::uint64_t> found;
  for (std::uint64_t seed = 0; seed < draws; ++seed) ++found[draw(seed)];
  Counts counts;
  std::vector<double> probabilities;
  for (const auto& [items, probability] : samples) {
    counts.push_back(found[items]);
    probabilities.push_back(probability);
  }
  if (found.size() > samples.size()) return 0;
  return verification::chi_squared(counts, probabilities, 25).p_value;
}

TEST(Choose, GivesAllOrderedSamplesWithTheirProbabilities) {
  for (const auto& [weights, k] :
       std::vector<std::pair<Weights, std::size_t>>{{{1, 2}, 1},
                                                    {{1, 2}, 2},
                                                    {{3, 0, 2, 1}, 2},
                                                    {{0.1, 1, 10}, 3},
                                                    {{1, 2, 3, 4, 5}, 5},
                                                    {{1, 1, 1, 1, 1, 1, 1, 1}, 3},
                                                    {{5, 1e-3, 1, 0.7, 100, 2, 2, 0.1}, 3}}) {
    const double p = law_p(weights, k, 100'000, [&, w = &weights, count = k](std::uint64_t seed) {
      return chosen(*w, count, {seed / 4, seed % 4 * w->size()});
    });
    EXPECT_GT(p, suite_budget.level()) << k << " of " << weights.size();
  }
}

/// The first `k` by clocks that `clock(word, item)` gives.
template <class Clock>
Items first_by(const Weights& weights, std::size_t k, std::uint64_t seed, const Clock& clock) {
  const random::SplitWords<> words(seed);
  std::vector<std::pair<double, Index>> ringing;
  for (Index i = 0; i < weights.size(); ++i) {
    ringing.emplace_back(clock(words.word(i), i), i);
  }
  std::sort(ringing.begin(), ringing.end());
  Items items;
  for (std::size_t i = 0; i < k; ++i) items.push_back(ringing[i].second);
  return items;
}

TEST(ChooseLaw, TestFindsABiasOfOneClock) {
  const Weights weights{3, 2, 4, 1};
  const auto p_of_bias = [&](double bias) {
    return law_p(weights, 2, 2'000'000, [&](std::uint64_t seed) {
      return first_by(weights, 2, seed, [&](std::uint64_t word, Index item) {
        return detail::exponential(word) / weights[item] * (item == 1 ? bias : 1);
      });
    });
  };
  EXPECT_LT(p_of_bias(1.02), suite_budget.level());
  EXPECT_GT(p_of_bias(1.00), suite_budget.level());
}

// The mistake of accepting any k clocks that pass the threshold's superset test: a heavy one may
// pass and ring after the threshold, before which one that did not pass rings.
TEST(ChooseLaw, TestFindsAThresholdThatIsNotCheckedAgain) {
  const Weights weights{1, 0.1};
  const auto p_of = [&](bool is_checked) {
    return law_p(weights, 1, 200'000, [&](std::uint64_t seed) {
      const random::SplitWords<> words(seed);
      for (int exponent = 0;; ++exponent) {
        const ClockKey threshold = static_cast<ClockKey>(detail::clock_bias + exponent) << 52;
        const detail::MayRingBefore<double> may_ring(threshold);
        std::vector<Ringing> ringing;
        for (Index i = 0; i < 2; ++i) {
          const std::uint64_t word = words.word(i);
          if (may_ring(static_cast<std::uint32_t>(word >> 32), weights[i])) {
            ringing.push_back({clock_key(word, weights[i]), i});
          }
        }
        std::sort(ringing.begin(), ringing.end());
        if (ringing.empty() || (is_checked && ringing[0].key >= threshold)) continue;
        return Items{ringing[0].item};
      }
    });
  };
  EXPECT_LT(p_of(false), suite_budget.level());
  EXPECT_GT(p_of(true), suite_budget.level());
}

// Among many items the smallest clocks decide: here all words are below 2^38 of 2^64, which a
// float32 uniform cannot tell apart. So small clocks are uniform, and that of an item of weight 1
// is less than a third of another one with probability 1/6.
TEST(ChooseLaw, SmallClocksAreFine) {
  const Weights weights{1, 3};
  const auto p_of = [&](const auto& clock) {
    return law_p({1, 5}, 1, 100'000, [&](std::uint64_t seed) {
      return first_by(weights, 1, seed, [&](std::uint64_t word, Index item) {
        return clock(word >> 26) / weights[item];
      });
    });
  };
  EXPECT_GT(p_of([](std::uint64_t word) { return detail::exponential(word); }),
            suite_budget.level());
  EXPECT_LT(p_of([](std::uint64_t word) {
              const float u = static_cast<float>((word >> 40) + 1) * 0x1p-24F;
              return static_cast<double>(-std::log1p(-u));
            }),
            suite_budget.level());
}

/// The probability that an item of weight `own` is among the first `k` of it and `others`: the
/// integral over its own clock t of the probability that fewer than k others ring before.
double inclusion(double own, const Weights& others, int k, double end) {
  constexpr int steps = 400;  // of Simpson's rule
  double integral = 0;
  for (int step = 0; step <= steps; ++step) {
    const double t = end * step / steps;
    std::vector<double> ringing(static_cast<std::size_t>(k), 0);  // P(j others ring before t)
    ringing[0] = 1;
    for (const double weight : others) {
      const double before = -std::expm1(-weight * t);
      for (std::size_t j = ringing.size(); j-- > 0;) {
        ringing[j] = ringing[j] * (1 - before) + (j > 0 ? ringing[j - 1] * before : 0);
      }
    }
    const double fewer = std::accumulate(ringing.begin(), ringing.end(), 0.0);
    const int factor = step == 0 || step == steps ? 1 : step % 2 == 1 ? 4 : 2;
    integral += factor * own * std::exp(-own * t) * fewer;
  }
  return integral * end / steps / 3;
}

TEST(ChooseLaw, InclusionProbabilitiesOfAThousandItems) {
  constexpr int k = 10;
  constexpr std::uint64_t draws = 20'000;
  Weights weights(1000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::ldexp(1, i % 8);
  std::vector<double> of_class(8);
  for (std::size_t c = 0; c < 8; ++c) {
    Weights others = weights;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(c));
    // 10 of 1000 ring long before a time of ten times k / W.
    of_class[c] = inclusion(weights[c], others, k, 10.0 * k / (255.0 * 125));
  }
  const double total = 125 * std::accumulate(of_class.begin(), of_class.end(), 0.0);
  EXPECT_NEAR(total, k, 1e-6);  // of the quadrature
  Counts counts(weights.size(), 0);
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    for (const Index item : chosen(weights, k, {seed, 0})) ++counts[item];
  }
  std::vector<double> probabilities(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) probabilities[i] = of_class[i % 8] / k;
  // An item is drawn once at most: its count varies a little less than that of the test's samples.
  const auto report = verification::worst_item(counts, probabilities);
  EXPECT_TRUE(report.passes(suite_budget.level())) << to_string(report);
}

TEST(Clocks, AreAccurateAndOrdered) {
  for (std::uint64_t j = 0; j < 20'000; ++j) {
    const std::uint64_t random = random::philox_word(3, j);
    const std::uint64_t low = random >> (j % 64);
    for (const std::uint64_t word : {low, ~low}) {
      const long double u = (static_cast<long double>(word) + 0.5L) * 0x1p-64L;
      const long double rest = (static_cast<long double>(~word) + 0.5L) * 0x1p-64L;
      const long double exact = u < 0.5L ? -std::log1p(-u) : -std::log(rest);
      const double deviate = detail::exponential(word);
      ASSERT_NEAR(static_cast<double>(deviate / exact), 1, 0x1p-49) << word;
    }
  }
  EXPECT_LT(detail::exponential((std::uint64_t{1} << 63) - 1),
            detail::exponential(std::uint64_t{1} << 63) + 0x1p-49);
  // The extremes of words and weights neither overflow nor wrap around.
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_LT(clock_key(0, most), clock_key(~std::uint64_t{0}, most));
  EXPECT_LT(clock_key(~std::uint64_t{0}, most), clock_key(0, 1));
  EXPECT_LT(clock_key(~std::uint64_t{0}, 1), clock_key(0, least));
  EXPECT_LT(clock_key(0, least), clock_key(~std::uint64_t{0}, least));
  EXPECT_LT(clock_key(~std::uint64_t{0}, least), detail::never);
  EXPECT_GT(clock_key(0, most), std::uint64_t{61} << 52);
  // A quotient by a power of two changes the exponent alone.
  const std::uint64_t word = 0x0123'4567'89AB'CDEF;
  EXPECT_EQ(clock_key(word, 1) - clock_key(word, 2), std::uint64_t{1} << 52);
  EXPECT_EQ(clock_key(word, 0x1p-1030) - clock_key(word, 1), std::uint64_t{1030} << 52);
}

TEST(Clocks, TiesRingInTheOrderOfTheItems) {
  std::vector<Ringing> ringing{{7, 2}, {7, 0}, {3, 9}, {7, 1}, {0, 5}};
  std::sort(ringing.begin(), ringing.end());
  Items items;
  for (const Ringing& ring : ringing) items.push_back(ring.item);
  EXPECT_EQ(items, (Items{5, 9, 0, 1, 2}));
}

// The GPU orders clocks by their cells, by parts of these, and by comparisons. Cells and parts hold
// few clocks, of light weights and of heavy ones, over any range.
TEST(ClockCells, AreInTheOrderOfClocksAndHoldFewEach) {
  for (const Index count : {1U, 1000U, 12'000U, 200'000U, 1'000'000U}) {
    for (const int range : {1, 4, 60, 1000}) {  // octaves of the weights
      std::vector<ClockKey> keys;
      std::vector<unsigned> of_octave(detail::ClockCells::octaves, 0);
      for (std::uint64_t j = 0; j < count; ++j) {
        const std::uint64_t a = random::philox_word(6, j);
        const int exponent = static_cast<int>(a % static_cast<unsigned>(2 * range)) - range;
        // Half of the clocks are those of light weights that ring before some time.
        const std::uint64_t word = random::philox_word(7, j) >> (a % 2 == 0 ? 30 : 0);
        keys.push_back(clock_key(word, std::ldexp(1.5, exponent)));
        ++of_octave[detail::ClockCells::octave_of(keys.back())];
      }
      std::sort(keys.begin(), keys.end());
      std::vector<std::uint32_t> first_cells(detail::ClockCells::octaves);
      const detail::ClockCells cells(count, first_cells.data());
      unsigned cell_count = 0;
      for (unsigned octave = 0; octave < detail::ClockCells::octaves; ++octave) {
        cells.set(octave, of_octave[octave], cell_count);
        cell_count += cells.count_for(of_octave[octave]);
      }
      ASSERT_LE(cell_count, detail::ClockCells::max_count);
      std::pair<unsigned, unsigned> before{0, 0};
      unsigned of_cell = 0;
      unsigned of_part = 0;
      for (const ClockKey key : keys) {
        const std::pair<unsigned, unsigned> own{cells.of(key), cells.part_of(key)};
        ASSERT_LT(own.first, cell_count);
        ASSERT_LT(own.second, detail::ClockCells::parts);
        ASSERT_GE(own, before);
        of_cell = own.first == before.first ? of_cell + 1 : 1;
        of_part = own == before ? of_part + 1 : 1;
        ASSERT_LT(of_cell, 3072U) << count << " " << range;
        ASSERT_LT(of_part, 40U) << count << " " << range;
        before = own;
      }
    }
  }
}

// No clock that rings before the threshold may fail the test by the high half of its word.
template <class T>
void expect_superset(T smallest, T largest) {
  const double first = std::log2(static_cast<double>(smallest));
  int rings = 0;
  int passes = 0;
  for (std::uint64_t j = 0; j < 300'000; ++j) {
    const std::uint64_t a = random::philox_word(1, j);
    const std::uint64_t b = random::philox_word(2, j);
    const double range = std::log2(static_cast<double>(largest)) - first;
    const double exponent = first + range * static_cast<double>(a >> 32) * 0x1p-32;
    const T weight = std::min(largest, static_cast<T>(std::exp2(exponent)));
    const std::uint64_t word = b >> (a % 40);
    const ClockKey key = clock_key(word, weight);
    // Around the clock.
    const ClockKey threshold = key + 1 + (b % 3 == 0 ? 0 : a >> (10 + b % 40));
    const auto high = static_cast<std::uint32_t>(word >> 32);
    ASSERT_TRUE(detail::MayRingBefore<T>(threshold)(high, weight)) << weight << " " << word;
    ++rings;
    const ClockKey earlier = key - (std::uint64_t{1} << 52);
    passes += detail::MayRingBefore<T>(earlier)(high, weight) ? 1 : 0;
    ASSERT_TRUE(detail::MayRingBefore<T>(detail::never)(~0U, weight));
  }
  EXPECT_LT(passes, rings * 9 / 10);  // the test decides something
}

TEST(Clocks, BeforeTheThresholdPassItsTest) {
  expect_superset<float>(std::numeric_limits<float>::denorm_min(),
                         std::numeric_limits<float>::max());
  expect_superset<double>(std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::max());
}

TEST(SplitHighHalves, AreThoseOfTheWords) {
  const random::SplitWords<> words(9);
  for (const std::uint64_t first : {0ULL, 1ULL, 6ULL, (1ULL << 34) - 5, ~0ULL - 300}) {
    for (const std::size_t count : {0U, 1U, 3U, 127U, 128U, 129U, 700U}) {
      std::vector<std::uint32_t> halves(count);
      split_high_halves(9, first, halves);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(halves[k], words.word(first + k) >> 32) << first << " " << k;
      }
    }
  }
}

TEST(DrawDistinct, HasTheLawOfChoose) {
  const Weights weights{5, 0, 1, 2, 100};
  const WeightedSampler sampler(weights, {.threads = 1});
  const double p = law_p(weights, 3, 50'000, [&](std::uint64_t seed) {
    Items out(3);
    sampler.draw_distinct(out, {seed, 0});
    return out;
  });
  EXPECT_GT(p, suite_budget.level());
}

TEST(DrawDistinct, GivesFirstOccurrences) {
  const WeightedSampler sampler(Weights(1000, 1));
  Items out(400);
  const std::uint64_t used = sampler.draw_distinct(out, {1, 7});
  Items samples(used);
  sampler.draw(samples, {1, 7});
  Items first;
  for (const Index item : samples) {
    if (std::find(first.begin(), first.end(), item) == first.end()) first.push_back(item);
  }
  EXPECT_EQ(out, first);
  Items few(10);
  sampler.draw_distinct(few, {1, 7});
  EXPECT_TRUE(std::equal(few.begin(), few.end(), out.begin()));
  Items too_many(3, 77);
  EXPECT_NE(error_of([&] {
              WeightedSampler({0, 1, 1}).draw_distinct(too_many, {1, 0});
            }).find("draws gave fewer than 3 different items"),
            std::string::npos);
  EXPECT_EQ(error_of([&] {
              WeightedSampler({1, 1}).draw_distinct(too_many, {1, 0});
            }),
            "argument 'out' has 3 elements, more than the 2 items to choose from");
  EXPECT_EQ(too_many, Items(3, 77));
}

// ---------------------------------------------------------------------------------------------
// Bad input.

TEST(Choose, RefusesWhatItCannotChooseAndWritesNothing) {
  const Items untouched(5, 77);
  const auto refuses = [&](const Weights& weights, std::size_t k, const std::string& part) {
    Items out = untouched;
    const std::string message = error_of([&] { choose(weights, std::span(out).first(k), {1, 0}); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(out, untouched);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  refuses({1, 2, 3}, 0, "argument 'out' is empty");
  refuses({1, 2, 3}, 4, "argument 'out' has 4 elements, more than the 3 items");
  refuses({}, 1, "argument 'weights' is empty");
  refuses({1, nan, 3}, 1, "weight 1 is not a number");
  refuses({1, 2, infinity}, 1, "weight 2 is infinite");
  refuses({1, -2, nan}, 1, "weight 1 is negative (-2)");
  refuses({0, 0, 0}, 1, "all 3 weights are zero");
  refuses({0, 1, 0, 2, 0}, 3, "but only 2 weights are positive");
  Weights many(100'000, 1);
  for (const double invalid : {-1.0, nan, infinity}) {
    std::fill_n(many.begin() + 77'777, 10, invalid);  // some of which the estimate takes
    refuses(many, 5, "weight 77777 is ");
  }
  Items out = untouched;
  EXPECT_EQ(error_of([&] {
              choose(WeightsView::on_device(std::span<const double>(many)), out, {1, 0});
            }),
            "argument 'weights' is in cuda memory; cpu memory is needed");
  EXPECT_EQ(out, untouched);
}

TEST(Choose, GivesFewerIfThatIsAllowed) {
  Items out(5, 77);
  EXPECT_EQ(choose({0, 1, 0, 2, 0, 0}, out, {1, 0}, {.allow_fewer = true}), 2U);
  EXPECT_EQ((std::set<Index>(out.begin(), out.begin() + 2)), (std::set<Index>{1, 3}));
  EXPECT_EQ(out[2], 77U);
  EXPECT_EQ(choose({4, 2}, out, {1, 0}, {.allow_fewer = true}), 2U);
  EXPECT_EQ(error_of([&] {
              choose({0, 0}, out, {1, 0}, {.allow_fewer = true});
            }),
            "argument 'weights': all 2 weights are zero");
}

TEST(Choose, MaySumTooMuchForADouble) {
  const Weights weights(100, std::numeric_limits<double>::max());
  EXPECT_EQ(chosen(weights, 10, {3, 0}), chosen(Weights(100, 1), 10, {3, 0}));
}

}  // namespace
}  // namespace wrsgpu
