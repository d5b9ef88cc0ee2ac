#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cpu_reference/sweep.hpp"
#include "registry/methods.hpp"
#include "table_rows.hpp"

namespace wrsgpu {
namespace {

TEST(Sweep, SmallTableHasTheWeightsProbabilities) {
  const auto table = make_method("sweep", {});
  table->build(std::vector<double>{1, 2, 3, 4});
  const std::vector<double> p = table->probabilities();
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(p[static_cast<std::size_t>(i)], (i + 1) / 10.0, 1e-15);
}

TEST(HostAliasTable, ToHostCopiesTheRowsInEveryLayout) {
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    const auto built = make_method("sweep", {Arithmetic::fixed_point, layout, 1});
    built->build(std::vector<double>{1, 2, 3, 4, 100});
    const auto& table = dynamic_cast<const HostAliasTable&>(*built);
    const HostTable copy = table.to_host();
    std::vector<double> expected;
    std::vector<double> actual;
    const auto collect = [](std::vector<double>& into) {
      return [&into](auto rows) {
        for (Index i = 0; i < rows.size(); ++i) {
          into.push_back(rows.own(rows.load(i)));
          into.push_back(rows.alias(rows.load(i)));
        }
      };
    };
    table.table().visit(collect(expected));
    copy.visit(collect(actual));
    EXPECT_EQ(actual, expected);
  }
}

TEST(HostTable, KeepsItsMemoryForFewerRows) {
  for (const auto& [layout, row_bytes] : {std::pair{Layout::wide_rows, 16U},
                                          {Layout::struct_of_arrays, 12U},
                                          {Layout::compact_rows, 8U}}) {
    HostTable table(layout, 100, static_cast<double>(fixed_bucket));
    EXPECT_EQ(table.bytes(), 100 * row_bytes);
    table.resize(30);
    EXPECT_EQ(table.size(), 30U);
    EXPECT_EQ(table.capacity(), 100U);
    EXPECT_EQ(table.bytes(), 30 * row_bytes);
    table.resize(100);
    EXPECT_THROW(table.resize(101), Error);
    EXPECT_EQ(table.size(), 100U);
  }
}

TEST(HostAliasTable, TakesRowsThatWereMadeElsewhere) {
  Sweep from({Arithmetic::fixed_point, Layout::compact_rows, 1});
  from.build(std::vector<double>{1, 2, 3, 4, 100});
  Sweep to({Arithmetic::fixed_point, Layout::compact_rows, 1});
  to.assign(from.to_host());
  EXPECT_EQ(to.size(), 5U);
  EXPECT_EQ(plain_rows(to), plain_rows(from));
  Sweep wide({Arithmetic::fixed_point, Layout::wide_rows, 1});
  EXPECT_THROW(wide.assign(from.to_host()), Error);
  EXPECT_THROW(to.assign(HostTable()), Error);
  EXPECT_EQ(plain_rows(to), plain_rows(from));
}

}  // namespace
}  // namespace wrsgpu
