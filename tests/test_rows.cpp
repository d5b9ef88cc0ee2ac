// The items that a row gives at the borders of its two parts, in every layout.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {
namespace {

constexpr Index alias = 7;

/// The item that row 0, with `own` of a bucket of 2^32 and alias 7, gives for a fraction in units
/// of 2^-64.
template <class Rows>
Index picked(const Rows& rows, std::uint64_t own, std::uint64_t fraction) {
  rows.store(0, own, alias);
  const Index picked = rows.pick(0, fraction);
  const bool accepts = Rows::accepts(rows.load(0), rows.variate(fraction));
  EXPECT_EQ(picked, accepts ? 0 : alias) << "pick in two steps";
  return picked;
}

template <class Rows>
void expect_exact_borders(const Rows& rows) {
  constexpr std::uint64_t one = std::uint64_t{1} << 32;  // 2^-32 of a bucket
  for (const std::uint64_t own : {1U, 2U, 1000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
    SCOPED_TRACE(own);
    EXPECT_EQ(picked(rows, own, 0), 0U);
    EXPECT_EQ(picked(rows, own, (own - 1) * one), 0U);
    EXPECT_EQ(picked(rows, own, own * one - 1), 0U);
    EXPECT_EQ(picked(rows, own, own * one), alias);
    EXPECT_EQ(picked(rows, own, ~std::uint64_t{0}), alias);
  }
  // An item without mass is never drawn, even for the smallest fraction.
  EXPECT_EQ(picked(rows, 0, 0), alias);
  EXPECT_EQ(picked(rows, 0, ~std::uint64_t{0}), alias);
}

TEST(Rows, KeepExactlyTheirOwnPart) {
  constexpr auto bucket = static_cast<double>(fixed_bucket);
  std::vector<WideRow> wide(1);
  std::vector<double> weights(1);
  std::vector<Index> aliases(1);
  std::vector<CompactRow> compact(1);
  expect_exact_borders(WideRows(wide.data(), 1, bucket));
  expect_exact_borders(NarrowStoreRows(WideRows(wide.data(), 1, bucket)));
  expect_exact_borders(ArrayRows(weights.data(), aliases.data(), 1, bucket));
  expect_exact_borders(CompactRows(compact.data(), 1));
}

TEST(Rows, FullRowsKeepEverything) {
  constexpr auto bucket = static_cast<double>(fixed_bucket);
  std::vector<WideRow> wide(1);
  const WideRows rows(wide.data(), 1, bucket);
  rows.store(0, fixed_bucket, Index{0});
  EXPECT_EQ(rows.pick(0, ~std::uint64_t{0}), 0U);
  std::vector<CompactRow> compact(1);
  const CompactRows compact_rows(compact.data(), 1);
  compact_rows.store(0, fixed_bucket, 0);
  EXPECT_EQ(compact_rows.pick(0, 0), 0U);
  EXPECT_EQ(compact_rows.pick(0, ~std::uint64_t{0}), 0U);
}

TEST(Rows, ChosenEquallyOften) {
  for (const Index size : {1U, 2U, 3U, 1000U, 0xFFFF'FFFEU}) {
    const auto first = choose_row(0, size);
    EXPECT_EQ(first.row, 0U);
    EXPECT_EQ(first.fraction, 0U);
    EXPECT_EQ(choose_row(~std::uint64_t{0}, size).row, size - 1);
    // The border between rows k - 1 and k is word k * 2^64 / size, rounded up.
    for (const Index k : {1U, size / 2, size - 1}) {
      if (k == 0 || k >= size) continue;
      using Wide = WideInteger;
      const auto word = static_cast<std::uint64_t>(((Wide{k} << 64) + size - 1) / size);
      EXPECT_EQ(choose_row(word, size).row, k);
      EXPECT_EQ(choose_row(word - 1, size).row, k - 1);
    }
  }
}

// The row is the integer part of word * size / 2^64, the fraction is the remainder, bit for bit.
TEST(Rows, AreChosenByTheExactProduct) {
  using Wide = WideInteger;
  std::mt19937_64 random(5);
  for (const Index size : {1U, 2U, 3U, 64U, 1000U, 65'537U, 0x8000'0001U, 0xFFFF'FFFEU}) {
    for (int repetition = 0; repetition < 10'000; ++repetition) {
      const std::uint64_t word = random();
      const Wide product = Wide{word} * size;
      const RowChoice choice = choose_row(word, size);
      ASSERT_EQ(choice.row, static_cast<Index>(product >> 64)) << word << " of " << size;
      ASSERT_EQ(choice.fraction, static_cast<std::uint64_t>(product)) << word << " of " << size;
    }
  }
}

}  // namespace
}  // namespace wrsgpu
