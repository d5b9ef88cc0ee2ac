// Named weight distributions on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "wrsgpu/detail/weights/word_counts.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/generate_weights.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {
namespace {

const std::vector<std::uint64_t> sizes{1,  2,  3,  4,  5,    7,      8,      9,      31,
                                       63, 64, 65, 99, 1000, 65'535, 65'536, 65'537, 200'001};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const DistributionInfo& info : distributions()) {
    names.insert(names.end(), info.examples.begin(), info.examples.end());
  }
  return names;
}

template <class T = double>
std::vector<T> make(const std::string& name, std::uint64_t n, std::uint64_t seed = 1,
                    unsigned threads = 2) {
  std::vector<T> weights(n);
  generate<T>(name, n, seed, weights, threads);
  return weights;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Two-sided: counts that fit too well are as suspicious as counts that do not fit.
void expect_uniform_counts(const std::vector<std::uint64_t>& counts) {
  const auto total =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  const double expected = total / static_cast<double>(counts.size());
  ASSERT_GE(expected, 5);
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  const boost::math::chi_squared distribution(static_cast<double>(counts.size() - 1));
  EXPECT_GT(boost::math::cdf(boost::math::complement(distribution, statistic)), 1e-4) << statistic;
  EXPECT_GT(boost::math::cdf(distribution, statistic), 1e-4) << statistic;
}

TEST(Distributions, TheListIsWhole) {
  std::set<std::string> patterns;
  std::set<std::string> names;
  for (const DistributionInfo& info : distributions()) {
    EXPECT_TRUE(patterns.insert(info.pattern).second) << info.pattern;
    EXPECT_FALSE(info.examples.empty()) << info.pattern;
    EXPECT_FALSE(info.source.empty()) << info.pattern;
    EXPECT_FALSE(info.summary.empty()) << info.pattern;
    for (const std::string& example : info.examples) {
      EXPECT_TRUE(names.insert(example).second) << example;
      EXPECT_EQ(find_distribution(example).pattern, info.pattern) << example;
    }
  }
  for (const char* name : {"uniform",
                           "powerlaw_0.5_shuffled",
                           "powerlaw_1_shuffled",
                           "powerlaw_1",
                           "powerlaw_2",
                           "powerlaw_1.25",
                           "powerlaw_0",
                           "powerlaw_3_shuffled",
                           "normal",
                           "binomial",
                           "ramp",
                           "sine",
                           "one_heavy",
                           "one_light",
                           "np_edge",
                           "heavy_fraction_10",
                           "heavy_fraction_0.5_random",
                           "heavy_fraction_100_leading",
                           "square_wave_3",
                           "heavy_chunks_64",
                           "equal",
                           "words"}) {
    EXPECT_NO_THROW(static_cast<void>(find_distribution(name))) << name;
  }
}

TEST(Distributions, UnknownNamesListTheKnownOnes) {
  for (const char* name : {"",
                           "Uniform",
                           "uniform ",
                           "powerlaw",
                           "powerlaw_",
                           "powerlaw_-1",
                           "powerlaw_+1",
                           "powerlaw_1e3",
                           "powerlaw_nan",
                           "powerlaw_inf",
                           "powerlaw_.5",
                           "powerlaw_1x",
                           "powerlaw_1_",
                           "powerlaw_1_shuffle",
                           "powerlaw__shuffled",
                           "powerlaw_shuffled",
                           "powerlaw_1_shuffled_shuffled",
                           "heavy_fraction_",
                           "heavy_fraction_101_random",
                           "heavy_fraction_100.1",
                           "heavy_fraction_-1_leading",
                           "heavy_fraction_random",
                           "heavy_fraction_10_first",
                           "word"}) {
    const std::string message = error_of([&] { static_cast<void>(find_distribution(name)); });
    EXPECT_TRUE(contains(message, "unknown distribution '" + std::string(name) + "'")) << message;
    for (const DistributionInfo& info : distributions()) {
      EXPECT_TRUE(contains(message, info.pattern)) << message;
    }
    EXPECT_EQ(error_of([&] { make(name, 3); }), message);
  }
}

/// Names of the pattern `info.pattern` with invalid parameters; none if the pattern has no
/// parameter.
std::vector<std::string> outside_of(const DistributionInfo& info) {
  static const std::regex parameter(
      R"(([^<]*)<(whole, )?(?:(\d+) to (\d+)|[a-z]+)>(?:\[.*\])?(.*))");
  std::smatch parts;
  if (info.pattern.find('<') == std::string::npos) return {};
  EXPECT_TRUE(std::regex_match(info.pattern, parts, parameter)) << info.pattern;
  std::vector<std::string> values{"", "-1", "+1", "1e1", "nan", "inf", ".5", "1x", "0x1", " 1"};
  if (parts[2].matched) values.emplace_back("1.5");
  if (parts[3].matched && parts[3] != "0") {
    values.push_back(std::to_string(std::stoull(parts[3]) - 1));
  }
  if (parts[4].matched) {
    values.push_back(std::to_string(std::stoull(parts[4]) + 1));
    if (!parts[2].matched) values.push_back(parts[4].str() + ".001");
  }
  for (std::string& value : values) value.insert(0, parts[1]).append(parts[5]);
  return values;
}

TEST(Distributions, ParametersOutsideOfThePatternAreRefused) {
  std::size_t tried = 0;
  for (const DistributionInfo& info : distributions()) {
    for (const std::string& name : outside_of(info)) {
      EXPECT_THROW(static_cast<void>(find_distribution(name)), Error) << name;
      EXPECT_THROW(make(name, 3), Error) << name;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0U);
}

TEST(Distributions, ValuesAtKnownPlaces) {
  using Values = std::vector<double>;
  EXPECT_EQ(make("equal", 3), (Values{1, 1, 1}));
  EXPECT_EQ(make("ramp", 4), (Values{1, 2, 3, 4}));
  EXPECT_EQ(make("powerlaw_0", 3), (Values{1, 1, 1}));
  EXPECT_EQ(make("powerlaw_1", 4), (Values{1, 1 / 2.0, 1 / 3.0, 1 / 4.0}));
  EXPECT_EQ(make("powerlaw_1.0", 4), make("powerlaw_1", 4));
  EXPECT_EQ(make("powerlaw_2", 4), (Values{1, 1 / 4.0, 1 / 9.0, 1 / 16.0}));
  EXPECT_EQ(make("powerlaw_0.5", 4), (Values{1, 1 / std::sqrt(2.0), 1 / std::sqrt(3.0), 0.5}));
  EXPECT_DOUBLE_EQ(make("powerlaw_1.5", 4)[3], 0.125);
  EXPECT_DOUBLE_EQ(make("powerlaw_3", 10)[9], 1e-3);
  EXPECT_EQ(make("powerlaw_500", 10)[9], 0);  // underflow, as documented
  EXPECT_EQ(make("one_heavy", 5), (Values{1, 1, 5, 1, 1}));
  EXPECT_EQ(make("one_heavy", 4), (Values{1, 1, 4, 1}));
  EXPECT_EQ(make("one_light", 5), (Values{1, 1, 0.5, 1, 1}));
  EXPECT_EQ(make("one_light", 4), (Values{1, 1, 0.5, 1}));
  EXPECT_EQ(make("one_light", 1), (Values{0.5}));
  EXPECT_EQ(make("np_edge", 5), (Values{0.5, 1, 1, 1, 1.5}));
  EXPECT_EQ(make("np_edge", 2), (Values{0.5, 1.5}));
  EXPECT_EQ(make("np_edge", 1), (Values{1}));
  EXPECT_EQ(make("heavy_fraction_50_leading", 5), (Values{2, 2, 2, 1, 1}));
  EXPECT_EQ(make("square_wave_5", 8), (Values{2, 2, 1, 1, 1, 2, 2, 1}));
  EXPECT_EQ(make("heavy_chunks_64", 2), (Values{1, 1}));
  const Values chunks = make("heavy_chunks_96", 200);
  for (std::size_t i = 0; i < chunks.size(); ++i) EXPECT_EQ(chunks[i], i % 96 < 64 ? 1.5 : 1);
  EXPECT_EQ(make("heavy_fraction_10_leading", 10), (Values{2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(make("heavy_fraction_0_leading", 3), (Values{1, 1, 1}));
  EXPECT_EQ(make("heavy_fraction_100_leading", 3), (Values{2, 2, 2}));
  EXPECT_EQ(make("binomial", 1), (Values{1}));
  EXPECT_EQ(make("binomial", 2), (Values{0.5, 0.5}));
}

TEST(Distributions, TheNpEdgeCaseFillsItsBucketsOnAverage) {
  for (const std::uint64_t n : sizes) {
    const std::vector<double> w = make("np_edge", n);
    EXPECT_EQ(std::accumulate(w.begin(), w.end(), 0.0), static_cast<double>(n));
  }
}

TEST(Distributions, ShapesOfNormalAndSine) {
  constexpr std::uint64_t n = 1001;
  const std::vector<double> normal = make("normal", n);
  EXPECT_EQ(normal[500], 1);  // the middle
  EXPECT_NEAR(normal[0], std::exp(-8.0), 1e-4);
  // One standard deviation is an eighth of the items.
  EXPECT_NEAR(normal[500 + 125] / std::exp(-0.5), 1, 3e-3);
  const std::vector<double> sine = make("sine", 1000);
  EXPECT_NEAR(sine[250], 3, 1e-4);
  EXPECT_NEAR(sine[750], 1, 1e-4);
  EXPECT_NEAR(sine[0], 2 + std::sin(3.141592653589793 / 1000), 1e-15);
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_DOUBLE_EQ(normal[i], normal[n - 1 - i]);
  for (std::uint64_t i = 0; i < 500; ++i) {
    EXPECT_GT(sine[i], 2);
    EXPECT_NEAR(sine[i] - 2, 2 - sine[999 - i], 1e-14);
  }
}

TEST(Distributions, BinomialIsBoosts) {
  for (const std::uint64_t n :
       {2ULL, 3ULL, 5ULL, 16ULL, 17ULL, 18ULL, 33ULL, 100ULL, 1023ULL, 100'001ULL, 10'000'000ULL}) {
    const boost::math::binomial expected(static_cast<double>(n - 1), 0.5);
    const WeightFunction function = make_weight_function("binomial", n, 1);
    const auto& weight = std::get<Binomial>(function);
    // The middle, where the mass is concentrated, and both ends.
    std::set<std::uint64_t> places{0, n - 1, n / 2};
    for (std::uint64_t d = 0; d < std::min<std::uint64_t>(n, 20); ++d) {
      places.insert({d, n - 1 - d});
      const double reach = std::sqrt(static_cast<double>(n)) * static_cast<double>(d) / 2;
      const auto offset = static_cast<std::uint64_t>(reach);
      if (offset < n / 2) places.insert({n / 2 - offset, n / 2 + offset});
    }
    for (const std::uint64_t k : places) {
      const double want = boost::math::pdf(expected, static_cast<double>(k));
      const double got = weight(static_cast<Index>(k));
      // Boost itself loses digits for large n.
      const double tolerance = n < 100'000 ? 1e-11 : 1e-7;
      if (want < 1e-300) {
        EXPECT_LT(got, 1e-299) << n << " " << k;
      } else {
        EXPECT_NEAR(got / want, 1, tolerance) << n << " " << k;
      }
    }
  }
  const std::vector<double> all = make("binomial", 1'000'001);
  EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1, 1e-10);
}

TEST(Distributions, EveryWeightIsUsable) {
  for (const std::string& name : all_names()) {
    for (const std::uint64_t n : sizes) {
      double sum = 0;
      const std::vector<double> all = make(name, n);
      for (std::uint64_t i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isfinite(all[i])) << name << ", item " << i << " of " << n;
        ASSERT_GE(all[i], 0) << name << ", item " << i << " of " << n;
        sum += all[i];
      }
      EXPECT_GT(sum, 0) << name << " " << n;
      EXPECT_TRUE(std::isfinite(sum)) << name << " " << n;
    }
  }
}

TEST(Distributions, NeitherThreadsNorBatchesChangeABit) {
  for (const std::string& name : all_names()) {
    for (const std::uint64_t n : sizes) {
      const std::vector<double> one = make(name, n, 7, 1);
      for (const unsigned threads : {2U, 3U, 8U, 0U}) {
        ASSERT_TRUE(same_bits(one, make(name, n, 7, threads))) << name << " " << n;
      }
      const WeightFunction function = make_weight_function(name, n, 7);
      const std::vector<float> floats = make<float>(name, n, 7, 2);
      std::visit(
          [&](const auto& weight) {
            for (std::uint64_t i = 0; i < n; ++i) {
              ASSERT_EQ(one[i], weight(static_cast<Index>(i))) << name << " " << n << " " << i;
              ASSERT_EQ(floats[i], static_cast<float>(one[i])) << name << " " << n << " " << i;
            }
          },
          function);
    }
  }
}

TEST(Distributions, SeedsReproduceAndDiffer) {
  for (const std::string& name : all_names()) {
    const std::vector<double> first = make(name, 1000, 5);
    EXPECT_TRUE(same_bits(first, make(name, 1000, 5))) << name;
    const bool is_random = find_distribution(name).is_random;
    EXPECT_EQ(same_bits(first, make(name, 1000, 6)), !is_random) << name;
    // All 64 bits of the seed matter.
    EXPECT_EQ(same_bits(first, make(name, 1000, 5 + (std::uint64_t{1} << 32))), !is_random) << name;
  }
}

TEST(Distributions, ABufferIsTheSame) {
  const HostBuffer<float> floats = generate<float>("uniform", 1001, 3);
  const HostBuffer<double> doubles = generate<double>("uniform", 1001, 3);
  ASSERT_EQ(floats.size(), 1001);
  ASSERT_EQ(doubles.size(), 1001);
  const std::vector<double> expected = make("uniform", 1001, 3);
  for (std::size_t i = 0; i < 1001; ++i) {
    EXPECT_EQ(doubles[i], expected[i]);
    EXPECT_EQ(floats[i], static_cast<float>(expected[i]));
  }
}

TEST(Distributions, BadSizesAreRefusedAndNothingIsWritten) {
  std::vector<double> out(4, -1);
  const auto attempt = [&](std::uint64_t n) {
    return error_of([&] { generate<double>("ramp", n, 1, out, 2); });
  };
  EXPECT_TRUE(contains(attempt(0), "argument 'n' is 0")) << attempt(0);
  EXPECT_TRUE(contains(attempt(3), "'out' holds 4 weights, argument 'n' is 3")) << attempt(3);
  EXPECT_TRUE(contains(attempt(5), "'out' holds 4 weights, argument 'n' is 5")) << attempt(5);
  EXPECT_TRUE(contains(attempt(max_items + 1), "4294967295")) << attempt(max_items + 1);
  EXPECT_EQ(out, std::vector<double>(4, -1));
  EXPECT_NO_THROW(static_cast<void>(make_weight_function("uniform", max_items, 1)));
  EXPECT_THROW(static_cast<void>(generate<float>("uniform", max_items + 1, 1)), Error);
  EXPECT_THROW(static_cast<void>(generate<float>("uniform", 0, 1)), Error);
}

TEST(Distributions, TheLastIndexIsReached) {
  for (const std::string& name : all_names()) {
    std::visit(
        [&](const auto& weight) {
          const double last = weight(static_cast<Index>(max_items - 1));
          EXPECT_TRUE(std::isfinite(last) && last >= 0) << name << " " << last;
        },
        make_weight_function(name, max_items, 1));
  }
  const auto last_of = [](const char* name) {
    return std::visit([](const auto& weight) { return weight(0xFFFF'FFFDU); },
                      make_weight_function(name, max_items, 1));
  };
  EXPECT_EQ(last_of("ramp"), 4294967294.0);
  EXPECT_EQ(last_of("powerlaw_1"), 1 / 4294967294.0);
  EXPECT_EQ(last_of("np_edge"), 1.5);
  EXPECT_EQ(last_of("heavy_fraction_100_leading"), 2);
}

// Weights and samples often use the same seed; the weight of item k must not determine sample k.
TEST(Uniform, SharesNoWordWithTheSamplesOfItsSeed) {
  for (Index i = 0; i < 1000; ++i) {
    EXPECT_NE(Uniform{5}(i), Uniform::from_word(random::philox_word(5, i)));
  }
}

TEST(UniformWeights, AreWordsOfThePhiloxStream) {
  // Philox4x32-10 of the counter {0, 0, 0, 2^31} and key 0, from a Python implementation that also
  // reproduces the vectors of Random123.
  const std::vector<double> w = make("uniform", 2, 0);
  EXPECT_EQ(w[0], 1 - std::ldexp(static_cast<double>(0x836AD205'DDB3D022U >> 12), -52));
  EXPECT_EQ(w[1], 1 - std::ldexp(static_cast<double>(0x3E1C0D44'B360376EU >> 12), -52));
  EXPECT_EQ(Uniform::from_word(0), 1);
  EXPECT_EQ(Uniform::from_word(~std::uint64_t{0}), 0x1p-52);
  EXPECT_GT(static_cast<float>(Uniform::from_word(~std::uint64_t{0})), 0);
}

TEST(UniformWeights, AreUniform) {
  constexpr std::size_t bins = 1000;
  const std::vector<double> w = make("uniform", 1'000'000, 42);
  std::vector<std::uint64_t> values(bins);
  std::vector<std::uint64_t> pairs(std::size_t{32} * 32);  // successive weights
  for (std::size_t i = 0; i < w.size(); ++i) {
    ASSERT_GT(w[i], 0);
    ASSERT_LE(w[i], 1);
    const double u = 1 - w[i];  // in [0, 1)
    ++values[static_cast<std::size_t>(u * bins)];
    if (i % 2 == 1) {
      ++pairs[static_cast<std::size_t>(u * 32) * 32 +
              static_cast<std::size_t>((1 - w[i - 1]) * 32)];
    }
  }
  expect_uniform_counts(values);
  expect_uniform_counts(pairs);
}

TEST(ShuffledWeights, AreTheSameWeightsInAnotherOrder) {
  for (const std::uint64_t n : sizes) {
    for (const char* exponent : {"0.5", "1", "1.5"}) {
      const std::string name = std::string("powerlaw_") + exponent;
      const std::vector<double> ordered = make(name, n);
      EXPECT_TRUE(std::is_sorted(ordered.rbegin(), ordered.rend()));
      std::vector<double> shuffled = make(name + "_shuffled", n, 11);
      if (n > 10) {
        EXPECT_NE(shuffled, ordered);
      }
      std::sort(shuffled.rbegin(), shuffled.rend());
      EXPECT_TRUE(same_bits(shuffled, ordered)) << name << " " << n;
    }
  }
}

TEST(ShuffledWeights, ReachEveryPositionAlike) {
  // The place of the largest weight, over many seeds.
  constexpr std::uint64_t n = 37;
  std::vector<std::uint64_t> positions(n);
  for (std::uint64_t seed = 0; seed < 40'000; ++seed) {
    const std::vector<double> w = make("powerlaw_1_shuffled", n, seed, 1);
    ++positions[static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin())];
  }
  expect_uniform_counts(positions);
}

TEST(HeavyFraction, HasExactlyThatManyHeavyItems) {
  for (const std::uint64_t n : sizes) {
    for (const double percent : {0.0, 0.5, 1.0, 10.0, 33.0, 50.0, 99.0, 100.0}) {
      const auto heavy =
          static_cast<std::int64_t>(std::floor(static_cast<double>(n) * percent / 100 + 0.5));
      std::string name = std::to_string(percent);
      name = "heavy_fraction_" + name.substr(0, name.find('.') + 2);
      EXPECT_TRUE(same_bits(make(name, n), make(name + "_random", n)));
      for (const char* placing : {"_random", "_leading"}) {
        const std::vector<double> w = make(name + placing, n);
        EXPECT_EQ(std::count(w.begin(), w.end(), 2.0), heavy) << name << placing << " " << n;
        EXPECT_EQ(std::count(w.begin(), w.end(), 1.0), static_cast<std::int64_t>(n) - heavy);
      }
    }
  }
}

TEST(HeavyFraction, RandomPositionsAreSpreadOut) {
  const std::vector<double> w = make("heavy_fraction_10_random", 1'000'000, 3);
  double statistic = 0;
  constexpr std::size_t bins = 1000;
  constexpr std::size_t width = 1000;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const auto begin = w.begin() + static_cast<std::ptrdiff_t>(bin * width);
    const auto count = static_cast<double>(std::count(begin, begin + width, 2.0));
    statistic += (count - 100) * (count - 100) / 100;
  }
  // Each count is hypergeometric with variance 90 (less a thousandth).
  const boost::math::chi_squared expected(bins - 1);
  const double p = boost::math::cdf(boost::math::complement(expected, statistic / 0.9));
  EXPECT_GT(p, 1e-4);
  EXPECT_LT(p, 1 - 1e-4);
}

TEST(Words, AreTheShippedCounts) {
  const std::span<const std::uint32_t> counts = word_counts();
  const std::span<const std::string_view> words = word_list();
  ASSERT_GE(counts.size(), 10'000);
  ASSERT_EQ(words.size(), counts.size());
  EXPECT_EQ(find_distribution("words").own_size, counts.size());
  EXPECT_EQ(words[0], "the");
  EXPECT_EQ(counts[0], 63'919);
  EXPECT_EQ(words.back(), "zuzims");
  EXPECT_EQ(counts.back(), 1);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 789'684);
  EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
  EXPECT_EQ(std::set<std::string_view>(words.begin(), words.end()).size(), words.size());
  const std::size_t size = counts.size();
  const std::vector<double> twice = make("words", 2 * size + 1);
  for (std::size_t i = 0; i < twice.size(); ++i) ASSERT_EQ(twice[i], counts[i % size]);
}

}  // namespace
}  // namespace wrsgpu::weights
