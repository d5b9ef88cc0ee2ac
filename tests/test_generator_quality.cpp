// Tests of the words of Philox with 7 and 10 rounds: classic tests of generators (Knuth, The Art of
// Computer Programming 3.3.2; Marsaglia's Diehard), applied to the words as samplers use them:
// successive, at a distance, of neighbouring seeds, high against low halves. Each p-value is
// compared with 10^-12, so that changing the seeds causes a false alarm less than once in 10^9
// times. With 2^21 words per series only gross faults are detected: up to five rounds of Philox
// fail, but the high halves of a 64-bit linear congruential generator pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/random/split_words.hpp"

namespace wrsgpu {
namespace {

using Word = std::uint32_t;
using Words = std::vector<Word>;
using verification::chi_squared;
using verification::Counts;

constexpr std::size_t word_count = 1 << 21;

double p_of(const Counts& counts, const std::vector<double>& probabilities) {
  return chi_squared(counts, probabilities).p_value;
}
double p_of_equal(const Counts& counts) {
  return p_of(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

/// The frequency of ones at each bit position.
double bits(const Words& words) {
  double minimum = 1;
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint64_t ones = 0;
    for (const Word word : words) ones += word >> bit & 1;
    minimum = std::min(minimum, 32 * p_of_equal({words.size() - ones, ones}));
  }
  return std::min(minimum, 1.0);
}

double bytes(const Words& words) {
  double minimum = 1;
  for (unsigned byte = 0; byte < 4; ++byte) {
    Counts counts(256);
    for (const Word word : words) ++counts[word >> (8 * byte) & 0xFF];
    minimum = std::min(minimum, 4 * p_of_equal(counts));
  }
  return std::min(minimum, 1.0);
}

/// The first and the last bytes of two successive words.
double pairs(const Words& words) {
  Counts high(1 << 16);
  Counts low(1 << 16);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    ++high[words[i] >> 24 << 8 | words[i + 1] >> 24];
    ++low[(words[i] & 0xFF) << 8 | (words[i + 1] & 0xFF)];
  }
  return std::min(1.0, 2 * std::min(p_of_equal(high), p_of_equal(low)));
}

/// The order of five successive words.
double permutations(const Words& words) {
  Counts counts(120);
  for (std::size_t i = 0; i + 5 <= words.size(); i += 5) {
    std::size_t number = 0;
    for (std::size_t a = 0; a < 5; ++a) {
      std::size_t less = 0;
      for (std::size_t b = a + 1; b < 5; ++b) less += words[i + b] < words[i + a] ? 1U : 0U;
      number = number * (5 - a) + less;
    }
    ++counts[number];
  }
  return p_of_equal(counts);
}

/// The gaps between words in the lowest eighth of the range.
double gaps(const Words& words) {
  constexpr std::size_t longest = 60;
  Counts counts(longest + 1);
  std::size_t gap = 0;
  for (const Word word : words) {
    if (word >> 29 != 0) {
      ++gap;
      continue;
    }
    ++counts[std::min(gap, longest)];
    gap = 0;
  }
  std::vector<double> probabilities(longest + 1);
  for (std::size_t k = 0; k < longest; ++k) probabilities[k] = std::pow(0.875, k) / 8;
  probabilities[longest] = std::pow(0.875, longest);
  return p_of(counts, probabilities);
}

/// The numbers of ones in two successive words, in six classes each.
double weights(const Words& words) {
  constexpr std::size_t classes = 6;
  const auto class_of = [](std::size_t ones) {
    return std::clamp<std::size_t>(ones, 13, 12 + classes) - 13;
  };
  const auto class_of_word = [&](Word word) {
    return class_of(static_cast<std::size_t>(std::popcount(word)));
  };
  std::array<double, classes> share{};
  double binomial = 0x1p-32;
  for (std::size_t ones = 0; ones <= 32; ++ones) {
    share.at(class_of(ones)) += binomial;
    binomial *= static_cast<double>(32 - ones) / static_cast<double>(ones + 1);
  }
  Counts counts(classes * classes);
  std::vector<double> probabilities;
  for (const double a : share) {
    for (const double b : share) probabilities.push_back(a * b);
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    ++counts[class_of_word(words[i]) * classes + class_of_word(words[i + 1])];
  }
  return p_of(counts, probabilities);
}

/// The rank of a 32 by 32 bit matrix.
std::size_t rank_of(std::array<Word, 32> rows) {
  std::size_t rank = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(rank);
    const auto pivot =
        std::find_if(first, rows.end(), [&](Word row) { return (row >> bit & 1) != 0; });
    if (pivot == rows.end()) continue;
    std::iter_swap(first, pivot);
    for (auto row = first + 1; row != rows.end(); ++row) {
      if ((*row >> bit & 1) != 0) *row ^= *first;
    }
    ++rank;
  }
  return rank;
}

/// Ranks of bit matrices: at most 29, 30, 31, 32.
double ranks(const Words& words) {
  Counts counts(4);
  for (std::size_t i = 0; i + 32 <= words.size(); i += 32) {
    std::array<Word, 32> rows;
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i), 32, rows.begin());
    ++counts[std::max<std::size_t>(rank_of(rows), 29) - 29];
  }
  std::vector<double> probabilities(4);
  double rest = 1;
  for (std::size_t rank = 30; rank <= 32; ++rank) {
    const auto r = static_cast<double>(rank);
    double p = std::exp2(-(32 - r) * (32 - r));
    for (double i = 0; i < r; ++i) {
      p *= std::pow(1 - std::exp2(i - 32), 2) / (1 - std::exp2(i - r));
    }
    probabilities[rank - 29] = p;
    rest -= p;
  }
  probabilities[0] = rest;
  return p_of(counts, probabilities);
}

/// Birthday spacings: 4096 birthdays in a year of 2^32 days. The number of equal spacings is
/// Poisson with mean 4.
double birthdays(const Words& words) {
  constexpr std::size_t people = 4096;
  constexpr std::size_t maximum = 12;
  Counts counts(maximum + 1);
  for (std::size_t i = 0; i + people <= words.size(); i += people) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    Words days(first, first + people);
    std::sort(days.begin(), days.end());
    Words distances(people - 1);
    std::transform(days.begin() + 1, days.end(), days.begin(), distances.begin(), std::minus<>());
    std::sort(distances.begin(), distances.end());
    std::size_t equal = 0;
    for (std::size_t k = 1; k < distances.size(); ++k) {
      equal += distances[k] == distances[k - 1] ? 1U : 0U;
    }
    ++counts[std::min(equal, maximum)];
  }
  std::vector<double> probabilities(maximum + 1);
  double p = std::exp(-4.0);
  double rest = 1;
  for (std::size_t k = 0; k < maximum; ++k) {
    probabilities[k] = p;
    rest -= p;
    p *= 4.0 / static_cast<double>(k + 1);
  }
  probabilities[maximum] = rest;
  return p_of(counts, probabilities);
}

struct QualityTest {
  const char* name;
  double (*p_value)(const Words&);
};
constexpr std::array tests{QualityTest{"bits", bits},   QualityTest{"bytes", bytes},
                           QualityTest{"pairs", pairs}, QualityTest{"permutations", permutations},
                           QualityTest{"gaps", gaps},   QualityTest{"weights", weights},
                           QualityTest{"ranks", ranks}, QualityTest{"birthdays", birthdays}};

/// Applies all tests to the words `word_of(i)`.
Words words_of(const std::function<Word(std::uint64_t)>& word_of) {
  Words words(word_count);
  for (std::size_t i = 0; i < word_count; ++i) words[i] = word_of(i);
  return words;
}

std::set<std::string> failed(const Words& words) {
  std::set<std::string> names;
  for (const QualityTest& test : tests) {
    if (test.p_value(words) < verification::suite_budget.level()) names.insert(test.name);
  }
  return names;
}

template <int rounds>
Word high_half(std::uint64_t seed, std::uint64_t i) {
  return static_cast<Word>(random::SplitWords<rounds>(seed).word(i) >> 32);
}

template <int rounds>
void expect_random_words() {
  constexpr std::uint64_t seed = 1;
  using Names = std::set<std::string>;
  const random::SplitWords<rounds> words(seed);
  const auto expect_none = [](const char* what, const std::function<Word(std::uint64_t)>& word_of) {
    EXPECT_EQ(failed(words_of(word_of)), Names{}) << rounds << " rounds, " << what;
  };
  expect_none("high halves", [&](auto i) { return words.high_halves(i / 4).word[i % 4]; });
  expect_none("low halves", [&](auto i) { return words.low_halves(i / 4).word[i % 4]; });
  expect_none("high and low halves in turn", [&](auto i) {
    return static_cast<Word>(i % 2 == 0 ? words.word(i / 2) >> 32 : words.word(i / 2));
  });
  expect_none("one word of each quad", [&](auto i) { return words.high_halves(i).word[0]; });
  expect_none("as threads of a grid draw",
              [&](auto i) { return words.high_halves(i / 16 + (i % 16) * 270'336).word[0]; });
  expect_none("far apart", [&](auto i) { return words.high_halves(i << 40).word[1]; });
  expect_none("first words of all seeds", [](auto i) { return high_half<rounds>(i, 0); });
  expect_none("differences of neighbouring seeds",
              [](auto i) { return high_half<rounds>(2 * i, 5) ^ high_half<rounds>(2 * i + 1, 5); });
  expect_none("differences of neighbouring quads", [&](auto i) {
    return words.high_halves(2 * i).word[2] ^ words.high_halves(2 * i + 1).word[2];
  });
}

TEST(GeneratorQuality, PhiloxOf7Rounds) { expect_random_words<7>(); }
TEST(GeneratorQuality, PhiloxOf10Rounds) { expect_random_words<10>(); }

// Each test must reject a generator with the fault that it is designed for.
TEST(GeneratorQuality, TestsFindWhatTheyAreFor) {
  const random::SplitWords<10> philox(2);
  const auto word = [&](std::uint64_t i) { return static_cast<Word>(philox.word(i)); };
  const auto finds = [](const char* test, const std::function<Word(std::uint64_t)>& word_of) {
    EXPECT_TRUE(failed(words_of(word_of)).contains(test)) << test;
  };
  finds("bits", [&](auto i) { return i % 100 == 0 ? word(i) | 1U : word(i); });
  finds("bytes", [&](auto i) { return i % 16 == 0 ? word(i) & ~0x100U : word(i); });
  finds("pairs", [&](auto i) {
    return i % 32 == 1 ? (word(i) & 0xFFFFFFU) | (word(i - 1) & 0xFF000000U) : word(i);
  });
  finds("permutations", [&](auto i) {  // occasionally one more than the last one
    return i % 5 == 4 && i % 16 == 0 ? word(i - 1) | 0xF0000000U : word(i);
  });
  finds("gaps", [&](auto i) { return i % 8 == 0 && i % 256 < 128 ? word(i) >> 3 : word(i); });
  finds("weights", [&](auto i) {
    const Word before = word(i - i % 2);
    return i % 2 == 1 && i % 16 < 4 && std::popcount(before) > 16 ? word(i) | 0x01010101U : word(i);
  });
  finds("ranks", [&](auto i) { return i % 512 == 33 ? word(i - 1) : word(i); });
  finds("birthdays", [](auto i) {  // a full period in order of a Weyl sequence
    return static_cast<Word>(i) * 0x9E3779B9U;
  });
}

// Too few rounds are rejected, as is a linear congruential generator.
TEST(GeneratorQuality, BadGeneratorsFail) {
  const random::SplitWords<2> two(1);
  EXPECT_FALSE(
      failed(words_of([&](auto i) { return two.high_halves(i / 4).word[i % 4]; })).empty());
  Word state = 1;
  EXPECT_FALSE(
      failed(words_of([&](auto) { return state = state * 1'664'525 + 1'013'904'223; })).empty());
}

}  // namespace
}  // namespace wrsgpu
