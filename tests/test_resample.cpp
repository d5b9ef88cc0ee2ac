// Resampling: exact arithmetic against that of large integers, bounds of the counts, and the laws.
// `gpu_test_resample.cu` compares the GPU with the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/count_law.hpp"
#include "tests/error_message.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/resampling/ancestors.hpp"
#include "wrsgpu/resample.hpp"

namespace wrsgpu {
namespace {

using boost::multiprecision::cpp_int;
using Items = std::vector<Index>;
using Masses = std::vector<std::uint64_t>;
using Weights = std::vector<double>;
using verification::Counts;
using verification::suite_budget;
constexpr ResamplingScheme all_schemes[] = {
    ResamplingScheme::systematic, ResamplingScheme::stratified, ResamplingScheme::residual,
    ResamplingScheme::multinomial};

template <class T>
Items resampled(const std::vector<T>& weights, std::size_t count, ResamplingScheme scheme,
                RandomState state, unsigned threads = 1) {
  Items ancestors(count, 0xFFFF'FFFF);
  resample(weights, ancestors, scheme, state, threads);
  return ancestors;
}

Masses masses_of(const Weights& weights) {
  const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
  return {masses.begin(), masses.end()};
}

/// The ancestors by definition: each point, in units of length / 2^128, is searched for.
class Reference {
 public:
  Reference(const Masses& masses, std::size_t count) : masses_(masses), count_(count) {}

  Items operator()(ResamplingScheme scheme, RandomState state) const {
    const random::SplitWords<> words(state.seed);
    Items ancestors;
    const std::uint64_t length = std::uint64_t{masses_.size()} << 32;
    if (!detail::has_random_strata(scheme)) {
      for (std::uint64_t stratum = 0; stratum < count_; ++stratum) {
        const bool is_common = scheme == ResamplingScheme::systematic;
        const std::uint64_t number = state.offset + (is_common ? 0 : stratum);
        const cpp_int place = cpp_int(words.word(number)) << 64 | words.word(number, 1);
        ancestors.push_back(item_at(masses_, (cpp_int(stratum) << 128) + place, count_));
      }
      return ancestors;
    }
    // M q_i, less the certain ancestors of residual resampling, in units of which L is a stratum.
    std::vector<cpp_int> rests;
    for (Index i = 0; i < masses_.size(); ++i) {
      cpp_int rest = cpp_int(masses_[i]) * count_;
      if (scheme == ResamplingScheme::residual) {
        for (; rest >= length; rest -= length) ancestors.push_back(i);
      }
      rests.push_back(rest);
    }
    const auto points = static_cast<Index>(count_ - ancestors.size());
    Items strata;
    for (Index point = 0; point < points; ++point) {
      strata.push_back(detail::ResamplingPoints::random_stratum(words, state, point, points));
    }
    std::sort(strata.begin(), strata.end());
    for (Index point = 0; point < points; ++point) {
      const auto word = [&](std::uint64_t digits) {
        return random::philox_word(state.seed, state.offset + point,
                                   random::points_subsequence + digits);
      };
      const cpp_int place = (cpp_int(strata[point]) << 128 | cpp_int(word(0)) << 64) | word(1);
      ancestors.push_back(item_at(rests, place * length, 1));
    }
    std::sort(ancestors.begin(), ancestors.end());
    return ancestors;
  }

 private:
  /// The item in whose segment `place` / `count` of 2^-128 lies; a stratum is `length` / count.
  template <class Segments>
  Index item_at(const Segments& segments, const cpp_int& place, std::size_t count) const {
    const bool is_of_rests = !std::is_same_v<Segments, Masses>;
    const cpp_int scaled = is_of_rests ? place : place * (std::uint64_t{masses_.size()} << 32);
    cpp_int end = 0;
    for (Index i = 0; i < segments.size(); ++i) {
      end += cpp_int(segments[i]) * count;
      if (scaled < end << 128) return i;
    }
    return 0xFFFF'FFFF;
  }

  Masses masses_;
  std::uint64_t count_;
};

TEST(ItemDivision, IsExact) {
  for (const Index items : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 1000U, (1U << 20) - 1, 1U << 20,
                            (1U << 20) + 1, 1'000'003U, 1U << 31, 0xFFFF'FFFDU, 0xFFFF'FFFEU}) {
    const detail::ItemDivision division(items);
    const auto expect_exact = [&](std::uint64_t x) {
      ASSERT_EQ(division(x), x / items) << x << " / " << items;
      if (division.has_small() && x / items <= detail::ItemDivision::max_small) {
        ASSERT_EQ(division.small(x), x / items) << x << " / " << items;
      }
    };
    for (std::uint64_t j = 0; j < 20'000; ++j) {
      const std::uint64_t word = random::philox_word(items, j);
      // Around multiples, of any size; the quotient is below 2^32.
      const std::uint64_t multiple = (word >> 32 >> (j % 33)) * items;
      for (const std::uint64_t x : {multiple, multiple + items - 1, multiple + word % items}) {
        expect_exact(x);
      }
    }
  }
}

TEST(SystematicPoints, CountFromAnyOfThem) {
  for (const auto& [items, count] :
       std::vector<std::pair<Index, Index>>{{4, 1},
                                            {5, 4'000'000},
                                            {1000, 1000},
                                            {1000, 1001},
                                            {100'003, 7},
                                            {0x7FFF'FFFF, 0xFFFF'FFFE},
                                            {0xFFFF'FFFE, 0xFFFF'FFFD},
                                            {0xFFFF'FFFE, 0xFFFF'FFFE}}) {
    const detail::SystematicPoints points(detail::ItemDivision(items), count, {items, count});
    const std::uint64_t length = std::uint64_t{items} << 32;
    EXPECT_EQ(points.ancestors_up_to(0), 0U);
    EXPECT_EQ(points.ancestors_up_to(length), count);
    for (std::uint64_t j = 0; j < 5000; ++j) {
      const std::uint64_t mass = random::philox_word(j, items) % length;
      const Index up_to = points.ancestors_up_to(mass);
      for (const Index before : {0U, 1U, 2047U, 4096U}) {
        if (before > up_to) continue;
        if (points.has_bucket_strata()) {
          // Modulo 2^64, as the masses of a tile are counted.
          const std::uint64_t place =
              points.before() - (std::uint64_t{up_to - before} << 32) + mass;
          ASSERT_EQ(place >> 32, before) << mass;
          continue;
        }
        if (!points.division().has_small()) continue;
        const detail::SystematicPoints::Near near(points, up_to - before);
        ASSERT_EQ(near.ancestors_up_to(mass), before) << mass;
      }
    }
  }
}

TEST(SystematicPoints, AreTheFloorsOfTheirVariates) {
  for (const Index items : {3U, 1'000'003U, 0xFFFF'FFFEU}) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      WideInteger variate = 0;  // times 2^96
      for (const std::uint32_t digit : {0U, 1U, 2U}) {
        variate = variate << 32 | detail::digit_of_point(seed, 7, digit);
      }
      const auto point = static_cast<std::uint64_t>(variate * items >> 64);
      const detail::SystematicPoints points(detail::ItemDivision(items), 1, {seed, 7});
      ASSERT_EQ(points.ancestors_up_to(point), 0U) << seed << " of " << items;
      ASSERT_EQ(points.ancestors_up_to(point + 1), 1U) << seed << " of " << items;
    }
  }
}

// With as many ancestors as items, point y is y 2^32 and all 32 bits of the variate's first digit.
TEST(SystematicPoints, OfAsManyAncestorsAsItemsAreExact) {
  const auto expect_exact = [](const detail::SystematicPoints& points, std::uint64_t first) {
    const Index items = points.division().items();
    for (const std::uint64_t y : {Index{0}, Index{1}, items / 2, items - 1}) {
      const std::uint64_t stratum = y << 32;
      for (const std::uint64_t mass :
           {stratum, stratum + first, stratum + first + 1, stratum + 0xFFFF'FFFF}) {
        const std::uint64_t up_to = mass > first ? ((mass - first - 1) >> 32) + 1 : 0;
        ASSERT_EQ(points.ancestors_up_to(mass), up_to) << mass << " " << first;
      }
    }
  };
  constexpr std::uint64_t special[] = {0, 1, 1U << 8, (1U << 16) + 1, 0xFFFF'FFFF};
  for (const Index items : {2U, 3U, 2048U, 1'000'003U, 0xFFFF'FFFEU}) {
    const detail::ItemDivision division(items);
    for (const std::uint64_t first : special) {
      expect_exact({division, items, 0xFFFF'FFFF - first}, first);
    }
    for (const std::uint64_t offset : special) {
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        expect_exact({division, items, RandomState{seed, offset}},
                     detail::digit_of_point(seed, offset, 0));
      }
    }
  }
  // The call as a whole, with a segment that ends at its first point and one unit beyond.
  for (const std::uint64_t offset : special) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::uint64_t first = detail::digit_of_point(seed, offset, 0);
      for (const Index beyond : {0U, 1U}) {
        const auto end = static_cast<double>(first + beyond);
        const Weights weights{end, 0x1p33 - end};
        ASSERT_EQ(masses_of(weights)[0], first + beyond);
        ASSERT_EQ(resampled(weights, 2, ResamplingScheme::systematic, {seed, offset}),
                  (Items{1 - beyond, 1}));
      }
    }
  }
}

TEST(Resample, TakesThePointsOfItsDefinition) {
  for (const Weights& weights : std::vector<Weights>{
           {1}, {1, 2}, {0, 3, 0, 1e-20, 1, 0}, {5, 4, 3, 2, 1, 1, 1}, Weights(20, 1), {1, 1e30}}) {
    for (const std::size_t count : {1U, 2U, 3U, 7U, 20U, 64U}) {
      const Reference reference(masses_of(weights), count);
      for (const ResamplingScheme scheme : all_schemes) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          const RandomState state{seed, 5 * seed};
          ASSERT_EQ(resampled(weights, count, scheme, state), reference(scheme, state))
              << static_cast<int>(scheme) << " " << count << " of " << weights.size();
        }
      }
    }
  }
}

TEST(Resample, CountsAreWithinTheirBounds) {
  for (const auto& family : verification::weight_families()) {
    for (const Index items : {1U, 2U, 1000U, 2049U, 10'000U}) {
      const Weights weights = family.make(items);
      const Masses masses = masses_of(weights);
      for (const Index count : {1U, items / 3 + 1, items, 40'000U}) {
        for (const ResamplingScheme scheme : all_schemes) {
          const Items ancestors = resampled(weights, count, scheme, {items, count});
          ASSERT_TRUE(std::is_sorted(ancestors.begin(), ancestors.end()));
          const Counts counts = verification::count_samples(ancestors, items);
          for (Index i = 0; i < items; ++i) {
            const WideInteger length = WideInteger{items} << 32;
            const WideInteger expected = WideInteger{masses[i]} * count;
            const auto low = static_cast<std::uint64_t>(expected / length);
            const std::uint64_t high = low + (expected % length > 0 ? 1 : 0);
            const bool is_random = scheme == ResamplingScheme::multinomial;
            const std::uint64_t slack = scheme == ResamplingScheme::stratified ? 1 : 0;
            ASSERT_GE(counts[i] + slack, is_random ? 0 : low) << family.name << " " << i;
            ASSERT_TRUE(masses[i] > 0 || counts[i] == 0) << family.name << " " << i;
            if (is_random || scheme == ResamplingScheme::residual) continue;
            ASSERT_LE(counts[i], high + slack) << family.name << " " << i;
          }
        }
      }
    }
  }
}

TEST(Resample, DependsNeitherOnTypesNorThreads) {
  std::vector<float> floats(100'000);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(random::philox_word(1, i) >> 40);
  }
  const Weights doubles(floats.begin(), floats.end());
  for (const ResamplingScheme scheme : all_schemes) {
    const Items ancestors = resampled(floats, 300'000, scheme, {1, 2});
    EXPECT_EQ(resampled(doubles, 300'000, scheme, {1, 2}, 3), ancestors);
    EXPECT_NE(resampled(doubles, 300'000, scheme, {2, 2}), ancestors);
    EXPECT_NE(resampled(doubles, 300'000, scheme, {1, 3}), ancestors);
  }
}

// ---------------------------------------------------------------------------------------------
// The laws.

/// The p-value of the vectors of counts that `seeds` calls give.
double law_p(const Weights& weights, std::size_t count, ResamplingScheme scheme,
             const CountLaw& law, std::uint64_t seeds) {
  return count_law_p(law, seeds, [&](std::uint64_t seed) {
    const Items ancestors = resampled(weights, count, scheme, {seed / 8, seed % 8 * count});
    return verification::count_samples(ancestors, static_cast<Index>(weights.size()));
  });
}

TEST(ResampleLaw, MultinomialDrawsAreIndependent) {
  const auto p_of = [](const Weights& weights) {
    return law_p(weights, 5, ResamplingScheme::multinomial,
                 multinomial_law({0.5, 0.25, 0.125, 0.125}, 5), 200'000);
  };
  EXPECT_GT(p_of({4, 2, 1, 1}), suite_budget.level());
  EXPECT_LT(p_of({4.08, 2, 1, 1}), suite_budget.level());  // a planted bias of 2%
}

TEST(ResampleLaw, ResidualDrawsAreIndependent) {
  // 2.8, 1.75, 0.7 and 1.75 of 7 expected: 2, 1, 0, 1, and 3 with fractions 0.8, 0.75, 0.7, 0.75.
  CountLaw law;
  for (const auto& [rest, probability] : multinomial_law({0.8 / 3, 0.25, 0.7 / 3, 0.25}, 3)) {
    law[{rest[0] + 2, rest[1] + 1, rest[2], rest[3] + 1}] = probability;
  }
  const auto p_of = [&](const Weights& weights) {
    return law_p(weights, 7, ResamplingScheme::residual, law, 200'000);
  };
  EXPECT_GT(p_of({0.4, 0.25, 0.1, 0.25}), suite_budget.level());
  EXPECT_LT(p_of({0.408, 0.25, 0.1, 0.25}), suite_budget.level());
}

TEST(ResampleLaw, StrataDrawEachItemAsOftenAsExpected) {
  // In three strata of 4/3: items 0 and 1 share the first, 1 to 3 the second, 3 is the third.
  const Weights weights{1, 1, 0.5, 1.5};
  CountLaw stratified;
  for (const auto& [first, p] : std::map<int, double>{{0, 0.75}, {1, 0.25}}) {
    for (const auto& [second, q] : std::map<int, double>{{1, 0.5}, {2, 0.375}, {3, 0.125}}) {
      Counts counts{0, 0, 0, 1};
      ++counts[static_cast<std::size_t>(first)];
      ++counts[static_cast<std::size_t>(second)];
      stratified[counts] += p * q;
    }
  }
  EXPECT_GT(law_p(weights, 3, ResamplingScheme::stratified, stratified, 100'000),
            suite_budget.level());
  // One offset for both: below 1/2 it gives 0 and 1, to 3/4 0 and 2, to 7/8 1 and 2, then 1 and 3.
  const CountLaw systematic{
      {{1, 1, 0, 1}, 0.5}, {{1, 0, 1, 1}, 0.25}, {{0, 1, 1, 1}, 0.125}, {{0, 1, 0, 2}, 0.125}};
  EXPECT_GT(law_p(weights, 3, ResamplingScheme::systematic, systematic, 100'000),
            suite_budget.level());
  EXPECT_LT(law_p({1, 1.02, 0.5, 1.5}, 3, ResamplingScheme::systematic, systematic, 100'000),
            suite_budget.level());
}

// ---------------------------------------------------------------------------------------------
// Arithmetic.

TEST(Strata, DivideExactly) {
  for (const Index items : {1U, 3U, 2048U, 1'000'003U, 0xFFFF'FFFEU}) {
    for (const Index ancestors : {1U, 7U, 4096U, 999'983U, 0xFFFF'FFFEU}) {
      const detail::Strata strata(items, ancestors);
      const std::uint64_t length = std::uint64_t{items} << 32;
      ASSERT_EQ(strata.length(), length);
      for (std::uint64_t j = 0; j < 2000; ++j) {
        // Anywhere, and next to the ends of strata.
        const std::uint64_t random = random::philox_word(1, j);
        const auto end =
            static_cast<std::uint64_t>(WideInteger{length} * (random % ancestors) / ancestors);
        for (const std::uint64_t mass : {random % (length + 1), end, end + 1, length - j % 3}) {
          const WideInteger product = WideInteger{mass} * ancestors;
          const detail::PlaceInStratum place = strata.place(mass);
          ASSERT_EQ(place.stratum, static_cast<Index>(product / length)) << mass;
          ASSERT_EQ(place.rest, static_cast<std::uint64_t>(product % length)) << mass;
        }
      }
    }
  }
}

TEST(Strata, CompareAsManyDigitsAsDecide) {
  const auto below = [](std::uint64_t part, std::uint64_t whole,
                        const std::vector<std::uint32_t>& digits) {
    return detail::is_below(part, whole, [&](std::uint32_t d) { return digits.at(d); });
  };
  constexpr std::uint32_t third = 0x5555'5555;  // the digits of 1/3
  EXPECT_TRUE(below(1, 3, {third - 1}));
  EXPECT_TRUE(below(1, 3, {third, third, third, third - 1}));
  EXPECT_FALSE(below(1, 3, {third, third, third, third + 1}));
  EXPECT_FALSE(below(1, 3, {third + 1}));
  // A fraction of one digit: no variate of this digit is below, every one of the digit before is.
  EXPECT_FALSE(below(5, std::uint64_t{1} << 32, {5}));
  EXPECT_TRUE(below(5, std::uint64_t{1} << 32, {4}));
  EXPECT_FALSE(below(0, 7, {0}));
  constexpr std::uint64_t most = 0xFFFF'FFFE'0000'0000;
  EXPECT_TRUE(below(most - 1, most, {0xFFFF'FFFF, 0xFFFF'FFFD}));
  EXPECT_FALSE(below(most - 1, most, {0xFFFF'FFFF, 0xFFFF'FFFF}));
  EXPECT_THROW(below(1, 3, {third, third}), std::out_of_range);  // undecided
}

TEST(Resample, RefusesBadArgumentsAndWritesNothing) {
  const Items untouched(3, 77);
  const auto refusal = [&](const Weights& weights, std::size_t count) {
    Items out = untouched;
    std::string message = error_of([&] {
      resample(weights, std::span(out).first(count), ResamplingScheme::residual, {1, 0});
    });
    EXPECT_EQ(out, untouched);
    return message;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({1, 2}, 0),
            "argument 'ancestors' has 0 elements; it must have at least 1 and at most 2^32 - 2");
  EXPECT_EQ(refusal({}, 1), "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(refusal({1, -1}, 1), "argument 'weights': weight 1 is negative (-1)");
  EXPECT_EQ(refusal({infinity}, 1), "argument 'weights': weight 0 is infinite (inf)");
  EXPECT_EQ(refusal({0, 0}, 1), "argument 'weights': all 2 weights are zero");
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_NE(refusal({most, most}, 1).find("overflows"), std::string::npos);
}

}  // namespace
}  // namespace wrsgpu
