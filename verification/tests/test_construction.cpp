#include <gtest/gtest.h>

#include "wrsgpu/construction/registry.hpp"

namespace wrsgpu {
namespace {

TEST(Sweep, SmallTableHasTheWeightsProbabilities) {
  const auto table = make_method("sweep", {});
  table->build(std::vector<double>{1, 2, 3, 4});
  const std::vector<double> p = table->probabilities();
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(p[static_cast<std::size_t>(i)], (i + 1) / 10.0, 1e-15);
  std::vector<Index> out(10);
  table->sample(out, {1, 0});
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

}  // namespace
}  // namespace wrsgpu
