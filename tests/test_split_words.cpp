// The random words of the samplers, and the decision whether the high half of a word suffices.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "construction/alias_table.hpp"
#include "cpu_reference/direct_sampler.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "error_message.hpp"
#include "exact_ties.hpp"
#include "registry/methods.hpp"
#include "rows16_on_host.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/packed_row.hpp"
#include "wrsgpu/detail/sampling/row16.hpp"
#include "wrsgpu/detail/sampling/split_word_row.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {
namespace {

constexpr std::uint64_t seed = 0x0123'4567'89AB'CDEFU;
constexpr std::uint64_t last = ~std::uint64_t{0};

/// Philox4x32 as in its paper, independent of random/philox.hpp.
std::array<std::uint32_t, 4> plain_philox(std::array<std::uint32_t, 4> counter, std::uint64_t key,
                                          int rounds) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < rounds; ++round, k0 += 0x9E37'79B9U, k1 += 0xBB67'AE85U) {
    const auto [a, b, c, d] = counter;
    const std::uint64_t by_a = std::uint64_t{0xD251'1F53U} * a;
    const std::uint64_t by_c = std::uint64_t{0xCD9E'8D57U} * c;
    counter = {static_cast<std::uint32_t>(by_c >> 32) ^ b ^ k0, static_cast<std::uint32_t>(by_c),
               static_cast<std::uint32_t>(by_a >> 32) ^ d ^ k1, static_cast<std::uint32_t>(by_a)};
  }
  return counter;
}

// As `RandomState` promises.
TEST(SplitWords, AreThoseOfTwoSubsequencesOfCurand) {
  for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                    std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{1} << 33}) {
    const std::uint64_t high = random::curand_philox_word(seed, 0, index);
    const std::uint64_t low = random::curand_philox_word(seed, std::uint64_t{1} << 60, index);
    EXPECT_EQ(random::SplitWords<>(seed).word(index), high << 32 | low) << index;
  }
}

// The test vectors of Random123 (kat_vectors), for the implementation that computed the table
// below.
TEST(SplitWords, AreComparedWithPhilox) {
  using Words = std::array<std::uint32_t, 4>;
  constexpr Words pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  EXPECT_EQ(plain_philox({0, 0, 0, 0}, 0, 7),
            (Words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
  EXPECT_EQ(plain_philox({0, 0, 0, 0}, 0, 10),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(plain_philox(pi, 0x299f31d0'a4093822, 7),
            (Words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}));
  EXPECT_EQ(plain_philox(pi, 0x299f31d0'a4093822, 10),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::uint64_t plain_word(std::uint64_t of_seed, std::uint64_t index, std::uint32_t attempt,
                         int rounds) {
  const auto half = [&](std::uint32_t last_word) {
    return plain_philox({static_cast<std::uint32_t>(index >> 2),
                         static_cast<std::uint32_t>(index >> 34), attempt, last_word},
                        of_seed, rounds)[index % 4];
  };
  return std::uint64_t{half(0)} << 32 | half(0x1000'0000);
}

// The samples of a seed must not change between versions.
TEST(SplitWords, AreTheseWords) {
  struct Golden {
    std::uint64_t seed;
    std::uint64_t index;
    std::uint32_t attempt;
    std::uint64_t of_7_rounds;
    std::uint64_t of_10_rounds;
  };
  const Golden golden[] = {
      {0, 0, 0, 0x5f6fb709'3f078054, 0x6627e8d5'587be05d},
      {0, 1, 0, 0x0d893f64'a3210616, 0xe169c58d'ccebb3d7},
      {0, 2, 0, 0x4f121f81'b3d39d7b, 0xbc57ac4c'5dd629ef},
      {0, 3, 0, 0x4f730a48'3cc1ca22, 0x9b00dbd8'becefe79},
      {0, 4, 0, 0x983a586e'2b6d28e0, 0xf8e4cca4'c6217db3},
      {seed, 0, 0, 0xf4701821'ece4b079, 0xb850222e'52c18251},
      {seed, 6, 0, 0x2473c7df'2de544fb, 0x65401425'903778dd},
      {seed, (std::uint64_t{1} << 34) - 1, 0, 0xa6baf451'f3e44b2d, 0x325045ac'197516d1},
      {seed, std::uint64_t{1} << 34, 0, 0xe38a29ab'dfa8c895, 0xd9412d6a'12fccc7a},
      {last, last, 0, 0xd07c40a0'172c42cb, 0x3915061c'f80076c3},
      {seed, last - 3, 0, 0x7e08070f'11437068, 0x02c86e8c'0dcdf89c},
      {seed, 5, 1, 0xdd2ac6be'8c734bfc, 0x8e9e98b3'3613ad29},
      {seed, 5, 0xFFFF'FFFF, 0x6515141d'60c59708, 0x85879482'80bc9da4},
  };
  for (const auto& [of_seed, index, attempt, of_7_rounds, of_10_rounds] : golden) {
    EXPECT_EQ(plain_word(of_seed, index, attempt, 7), of_7_rounds) << index;
    EXPECT_EQ(plain_word(of_seed, index, attempt, 10), of_10_rounds) << index;
    EXPECT_EQ(random::SplitWords<7>(of_seed).word(index, attempt), of_7_rounds) << index;
    EXPECT_EQ(random::SplitWords<10>(of_seed).word(index, attempt), of_10_rounds) << index;
  }
}

template <int rounds>
void expect_halves_of_blocks() {
  const random::SplitWords<rounds> words(seed);
  for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6},
                                    (std::uint64_t{1} << 34) - 1, last - 4, last}) {
    const std::uint64_t high = random::philox_block<rounds>(seed, index / 4).word[index % 4];
    const std::uint64_t low =
        random::philox_block<rounds>(seed, index / 4, random::low_halves_subsequence)
            .word[index % 4];
    EXPECT_EQ(words.word(index), high << 32 | low) << rounds << " rounds, word " << index;
  }
}

TEST(SplitWords, AreHalvesOfTwoBlocks) {
  expect_halves_of_blocks<7>();
  expect_halves_of_blocks<10>();
}

template <int rounds>
void expect_words_of_quads() {
  using Words = random::SplitWords<rounds>;
  const Words words(seed);
  const auto same = [](std::uint32_t word) { return word; };
  const Words kept = words.kept(same);
  const auto word_of = [](const random::PhiloxBlock& high, const random::PhiloxBlock& low, int k) {
    return Words::joined(high.word[k], low.word[k]);
  };
  for (const std::uint32_t number_high : {0U, 1U, 0x1234'5678U, 0x3FFF'FFFFU, ~0U}) {
    const typename Words::Quads quads(words, number_high);
    const auto kept_quads = typename Words::Quads(kept, number_high).kept(same);
    for (const std::uint32_t number_low : {0U, 1U, 0x8765'4321U, ~0U}) {
      const std::uint64_t number = std::uint64_t{number_high} << 32 | number_low;
      for (int k = 0; k < 4; ++k) {
        const std::uint64_t expected =
            word_of(words.high_halves(number), words.low_halves(number), k);
        EXPECT_EQ(word_of(quads.high_halves(number_low), quads.low_halves(number_low), k), expected)
            << rounds << " rounds, word " << k << " of quad " << number;
        EXPECT_EQ(word_of(kept_quads.high_halves(number_low), kept_quads.low_halves(number_low), k),
                  expected)
            << rounds << " rounds, word " << k << " of quad " << number;
      }
    }
  }
}

TEST(SplitWords, AreTheSameByTheHalfOfTheirQuadsNumbers) {
  expect_words_of_quads<3>();
  expect_words_of_quads<7>();
  expect_words_of_quads<10>();
}

/// All state that depends on the seed passes through the argument of `kept`.
TEST(SplitWords, KeepEveryKey) {
  const random::SplitWords<10> words(seed);
  int keys = 0;
  const auto other = words.kept([&](std::uint32_t) { return static_cast<std::uint32_t>(keys++); });
  EXPECT_EQ(keys, 20);
  keys = 0;
  const auto another = random::SplitWords<10>(~seed).kept(
      [&](std::uint32_t) { return static_cast<std::uint32_t>(keys++); });
  for (std::uint64_t number = 0; number < 4; ++number) {
    EXPECT_EQ(other.high_halves(number).word[0], another.high_halves(number).word[0]);
    EXPECT_NE(other.high_halves(number).word[0], words.high_halves(number).word[0]);
  }
}

TEST(SplitWords, NeverComeTwice) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t some_seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    const random::SplitWords<10> words(some_seed);
    for (std::uint64_t index = 0; index < 1000; ++index) {
      EXPECT_TRUE(seen.insert(words.word(index)).second);
      EXPECT_TRUE(seen.insert(words.word(last - index)).second);
      for (std::uint32_t attempt = 1; attempt < 5; ++attempt) {
        EXPECT_TRUE(seen.insert(words.word(index, attempt)).second);
      }
    }
  }
}

/// The row that a word selects, and whether it selects the row's own item.
struct Choice {
  Index row;
  bool is_own;
  bool operator==(const Choice&) const = default;
};
Choice of_word(std::uint64_t word, Index size, Index threshold) {
  const RowChoice choice = choose_row(word, size);
  return {choice.row, CompactRows::accepts({threshold, 0}, CompactRows::variate(choice.fraction))};
}

/// Returns whether words with the high half `high` can differ in their choice. Variates increase
/// with words, so it suffices to compare the first and the last of these words.
bool is_open(std::uint32_t high, Index size, Index threshold) {
  return of_word(std::uint64_t{high} << 32, size, threshold) !=
         of_word(std::uint64_t{high} << 32 | 0xFFFF'FFFFU, size, threshold);
}

/// High halves near the borders of all rows, and near the variates of all these thresholds in all
/// rows.
std::vector<std::uint32_t> beginnings(Index size, const std::vector<Index>& thresholds) {
  std::vector<std::uint32_t> all;
  const auto add_around = [&](std::uint64_t product) {
    const auto high = static_cast<std::uint32_t>(product / size);
    for (std::uint32_t d = 0; d < 5; ++d) all.push_back(high + d - 2);
  };
  for (Index row = 0; row < size; ++row) {
    add_around(std::uint64_t{row} << 32);
    for (const Index threshold : thresholds) add_around(std::uint64_t{row} << 32 | threshold);
  }
  return all;
}

const std::vector<Index> thresholds{0,           1,           2,           76,
                                    0x1234'5678, 0x8000'0000, 0xFFFF'FF00, 0xFFFF'FFFF};

// The high half decides as the whole word does, next to every border and threshold.
TEST(SplitWordRow, DecidesAsTheWholeWordUnlessItMayTie) {
  for (const Index size : {1U, 2U, 3U, 5U, 64U, 77U, 100U, 255U, 256U, 257U}) {
    std::uint64_t open = 0;
    for (const std::uint32_t high : beginnings(size, thresholds)) {
      const FirstChoice minimum = first_choice(high, size);
      for (const Index threshold : thresholds) {
        const Choice choice{minimum.row, CompactRows::accepts({threshold, 0}, minimum.variate)};
        ASSERT_EQ(choice, of_word(std::uint64_t{high} << 32, size, threshold));
        if (may_tie(until_change(minimum.variate, threshold), size)) {
          open += 1;
          continue;
        }
        ASSERT_FALSE(is_open(high, size, threshold))
            << "size " << size << ", high half " << high << ", threshold " << threshold;
      }
    }
    EXPECT_GT(open, 0U) << "the words that were tried include ties, size " << size;
  }
}

// These high halves would reveal a check that considers only thresholds or only borders.
TEST(SplitWordRow, BothKindsOfTiesAreMet) {
  constexpr Index size = 77;
  int only_threshold = 0;
  int only_border = 0;
  for (const std::uint32_t high : beginnings(size, thresholds)) {
    const Index variate = first_choice(high, size).variate;
    for (const Index threshold : thresholds) {
      if (!is_open(high, size, threshold)) continue;
      const bool near_threshold = threshold - variate < size;
      const bool near_border = variate > Index{0} - size;
      EXPECT_TRUE(near_threshold || near_border);
      only_threshold += near_threshold && !near_border ? 1 : 0;
      only_border += near_border && !near_threshold ? 1 : 0;
    }
  }
  EXPECT_GT(only_threshold, 0);
  EXPECT_GT(only_border, 0);
}

// About 2 * size in 2^32, and no more: a check that is always true would also be correct.
TEST(SplitWordRow, TiesAreRare) {
  constexpr Index size = 14'000;
  constexpr std::uint32_t step = 101;
  std::uint64_t ties = 0;
  std::uint64_t all = 0;
  for (std::uint64_t high = 0; high < std::uint64_t{1} << 32; high += step, ++all) {
    const FirstChoice minimum = first_choice(static_cast<std::uint32_t>(high), size);
    ties += may_tie(until_change(minimum.variate, 0x9876'5432), size) ? 1U : 0U;
  }
  const double expected = 2.0 * size / 0x1p32 * static_cast<double>(all);
  EXPECT_NEAR(static_cast<double>(ties), expected, 6 * std::sqrt(expected));
}

// In a table of 2^20 rows, with thresholds and variates next to changes of the leading bits.
TEST(PackedRow, DecidesAsTheWholeRowUnlessItTies) {
  constexpr Index mask = PackedRow::alias_mask(1 << 20);
  EXPECT_EQ(mask, 0xF'FFFFU);
  int ties = 0;
  for (const Index alias : {0U, 1U, 0xF'FFFFU, 0x5'5555U}) {
    for (Index threshold : thresholds) {
      for (const Index step : {0U, 1U, mask, mask + 1, 0U - 1U, 0U - mask}) {
        threshold += step;
        const Index packed = PackedRow::pack({threshold, alias}, mask);
        ASSERT_EQ(PackedRow::alias(packed, mask), alias);
        for (const Index border : {0U, threshold, threshold & ~mask, threshold | mask}) {
          for (Index d = 0; d < 5; ++d) {
            const Index variate = border + d - 2;
            if (PackedRow::is_tie(packed, variate, mask)) {
              ASSERT_EQ(variate & ~mask, threshold & ~mask);
              ties += 1;
            } else {
              ASSERT_EQ(variate < packed, variate < threshold) << variate << ", " << threshold;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(ties, 100);
}

TEST(PackedRow, HasRoomForEveryAlias) {
  EXPECT_EQ(PackedRow::alias_mask(1), 0U);
  EXPECT_EQ(PackedRow::alias_mask(2), 1U);
  EXPECT_EQ(PackedRow::alias_mask(3), 3U);
  EXPECT_EQ(PackedRow::alias_mask(4), 3U);
  EXPECT_EQ(PackedRow::alias_mask((1U << 31) + 1), 0xFFFF'FFFFU);
  EXPECT_EQ(PackedRow::alias_mask(static_cast<Index>(max_items)), 0xFFFF'FFFFU);
}

/// The item of a row, as kernels determine it.
Index by_row16(const CompactRow& whole, Index row, Index common, Index variate) {
  const std::uint16_t packed = Row16::pack(whole, row, common);
  if (Row16::needs_full_row(packed, row, variate))
    return CompactRows::accepts(whole, variate) ? row : whole.alias;
  if (variate < Row16::threshold(packed)) return row;
  return Row16::gives_common(packed, row, variate) ? common : Row16::alias(packed, row);
}

/// Values next to changes of the 5 leading bits, and to every power of two.
std::vector<Index> borders_of_short_rows() {
  std::set<Index> all;
  for (Index leading = 0; leading < 32; ++leading) {
    for (const Index d : {0U, 1U, 2U, 0U - 1U, 0U - 2U, 1U << 26}) all.insert((leading << 27) + d);
  }
  for (int bit = 0; bit < 32; ++bit) {
    for (const Index d : {0U, 1U, 0U - 1U}) all.insert((Index{1} << bit) + d);
  }
  return {all.begin(), all.end()};
}

// In tables of one section, of complete sections and of a partial one at the end, with every kind
// of alias.
TEST(Row16, DecidesAsTheWholeRow) {
  const std::vector<Index> borders = borders_of_short_rows();
  EXPECT_TRUE(std::set<Index>(borders.begin(), borders.end()).contains(0xFFFF'FFFF));
  for (const Index size : {2U, 1025U, 2048U, 2049U, 4096U, 10'007U, 0xFFFF'FFFEU}) {
    const Index end = size - 1;
    for (const Index row :
         {0U, 1U, 1023U, 1024U, 2047U, 2048U, 2049U, 9216U, end - end % 2048, end}) {
      if (row >= size) continue;
      const Index first = row - row % 2048;
      for (const Index common : {0U, 2047U, 2048U, 9999U, row % 2048, (row ^ 1024) % 2048, end}) {
        for (const Index alias :
             {row, row - 1, row + 1, row ^ 1, row ^ 1024, row ^ 1025, row ^ 2047, row ^ 2048,
              row ^ 3072, first, first + 2047, first + 2048, first - 1, 0U, 5000U, common, end}) {
          if (alias >= size) continue;
          for (const Index threshold : borders) {
            const CompactRow whole{threshold, alias};
            for (const Index border :
                 {0U, threshold, threshold & 31U << 27, threshold | ~(31U << 27), 31U << 27, ~0U}) {
              for (Index d = 0; d < 5; ++d) {
                const Index variate = border + d - 2;
                ASSERT_EQ(by_row16(whole, row, common, variate),
                          CompactRows::accepts(whole, variate) ? row : alias)
                    << "row " << row << " of " << size << ", alias " << alias << ", common "
                    << common << ", threshold " << threshold << ", coin " << variate;
              }
            }
          }
        }
      }
    }
  }
}

/// Of the 32 leading bit patterns of a variate in row 3000: how many require the full row, and how
/// many give the common alias.
std::pair<int, int> escape_and_common(const CompactRow& whole, Index common) {
  const Row16Variates variates = variates_of(Row16::pack(whole, 3000, common), 3000);
  return {static_cast<int>(variates.escape >> 27), static_cast<int>(variates.common >> 27)};
}

// Rows that always fell back to the full row would be correct, too.
TEST(Row16, FallsBackOnlyIfNecessary) {
  constexpr Index threshold = (7U << 27) + 1;
  EXPECT_EQ(escape_and_common({threshold, 3001}, 9), std::pair(1, 0))
      << "an alias in the section: ties only";
  EXPECT_EQ(escape_and_common({threshold, 2048}, 9), std::pair(1, 0));
  EXPECT_EQ(escape_and_common({threshold, 4095}, 9), std::pair(1, 0));
  EXPECT_EQ(escape_and_common({threshold, 9}, 9), std::pair(1, 24));
  EXPECT_EQ(escape_and_common({threshold, 2047}, 2047), std::pair(1, 24));
  EXPECT_EQ(escape_and_common({threshold, 4096}, 4096), std::pair(1, 24));
  EXPECT_EQ(escape_and_common({threshold, 8}, 9), std::pair(25, 0)) << "another alias outside";
  EXPECT_EQ(escape_and_common({threshold, 3000 ^ 1024}, 9), std::pair(25, 0))
      << "the one with that code";
  EXPECT_EQ(escape_and_common({0, 3000}, 9), std::pair(1, 0)) << "its own alias";
  EXPECT_EQ(escape_and_common({0xFFFF'FFFF, 8}, 9), std::pair(1, 0));
}

TEST(Row16, KnowsWhichAliasesAreOutside) {
  for (const Index row : {0U, 2047U, 2048U, 5000U, 0xFFFF'F800U, 0xFFFF'FFFEU}) {
    for (const Index alias : {0U, 1U, 2047U, 2048U, 4095U, 4096U, 6143U, 6144U, 0xFFFF'F7FFU,
                              0xFFFF'F800U, 0xFFFF'FFFEU}) {
      EXPECT_EQ(Row16::is_outside(row, alias), row / 2048 != alias / 2048) << row << ", " << alias;
    }
  }
}

/// A table of compact rows.
HostTable table_of(Index items) {
  const auto built = make_method("sweep", {Arithmetic::fixed_point, Layout::compact_rows, 0});
  built->build(verification::find_weight_family("powerlaw_1_shuffled").make(items));
  return dynamic_cast<const AliasTable&>(*built).to_host();
}

// The intended use of 16-bit rows: the tables of the exact construction, in both forms.
class Rows16OfExactTables : public testing::TestWithParam<TableForm> {
 protected:
  static Row16Shares shares(const char* family) {
    TiledSweep table({Arithmetic::fixed_point, Layout::compact_rows, 0}, GetParam());
    table.build(verification::find_weight_family(family).make(1'000'003));
    return shares_of(rows16_on_host(table.to_host()));
  }
};
TEST_P(Rows16OfExactTables, AskSeldom) {
  const bool is_warp_parallel = GetParam() == TableForm::warp_parallel;
  const Row16Shares of_uniform = shares("uniform");
  const Row16Shares of_skewed = shares("powerlaw_1_shuffled");
  EXPECT_NEAR(of_uniform.escape, is_warp_parallel ? 0.037 : 0.036, 0.001);
  EXPECT_NEAR(of_skewed.escape, is_warp_parallel ? 0.083 : 0.072, 0.005);
  EXPECT_NEAR(of_skewed.common, 0.245, 0.015);
}
INSTANTIATE_TEST_SUITE_P(, Rows16OfExactTables,
                         testing::Values(TableForm::merge_path, TableForm::warp_parallel),
                         [](const auto& form) {
                           return form.param == TableForm::warp_parallel ? "swept" : "merged";
                         });

TEST(DirectSampler, RefusesOtherRounds) {
  EXPECT_EQ(error_of([] { DirectSampler(1, 8); }), "argument 'rounds' is 8; it must be 7 or 10");
}

// Compared with the definition, word by word; with offsets within a quad, and beyond the last word.
TEST(DirectSampler, DrawsWordByWord) {
  for (const Index items : {1U, 2U, 1000U, 100'003U}) {
    HostTable table = table_of(items);
    const CompactRows rows = table.compact_rows();
    const random::SplitWords<10> words10(seed);
    const random::SplitWords<7> words7(seed);
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, last - 5}) {
      for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 100'001U}) {
        std::vector<Index> ten(count);
        std::vector<Index> seven(count);
        DirectSampler(2).sample(table, ten, {seed, offset});
        DirectSampler(3, 7).sample(table, seven, {seed, offset});
        for (std::size_t k = 0; k < count; ++k) {
          const RowChoice by10 = choose_row(words10.word(offset + k), items);
          const RowChoice by7 = choose_row(words7.word(offset + k), items);
          ASSERT_EQ(ten[k], rows.pick(by10.row, by10.fraction)) << k;
          ASSERT_EQ(seven[k], rows.pick(by7.row, by7.fraction)) << k;
        }
      }
    }
  }
}

TEST(DirectSampler, DecidesTiesAsTheRowsDo) {
  const random::SplitWords<10> words(seed);
  // Partial quads, too.
  expect_exact_ties(DirectSampler(1), {seed, 1}, 102,
                    [&](std::uint64_t k) { return words.word(k); });
}

}  // namespace
}  // namespace wrsgpu
