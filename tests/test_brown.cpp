// Brown's method: properties beyond those that the suites test for all methods.
#include <gtest/gtest.h>

#include "cpu_reference/brown.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "error_message.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"

namespace wrsgpu::verification {
namespace {

const TableOptions exact{Arithmetic::fixed_point, Layout::compact_rows, 1};

std::vector<Index> drawn(const SamplingAlgorithm& from, std::size_t count) {
  std::vector<Index> out(count, 0xFFFF'FFFFU);
  from.sample(out, {42, 7});
  return out;
}

TEST(Brown, DrawsTheSamplesOfTheTable) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 257U, 70'000U}) {
      const std::vector<double> weights = family.make(n);
      TiledSweep table(exact);
      table.build(weights);
      for (const unsigned threads : {1U, 3U}) {
        Brown brown({Arithmetic::fixed_point, Layout::wide_rows, threads});
        brown.build(weights);
        ASSERT_EQ(drawn(brown, 10'001), drawn(table, 10'001)) << family.name << ", " << n;
      }
    }
  }
}

TEST(Brown, TakesTwelveBytesPerItem) {
  Brown brown(exact);
  brown.build(std::vector<double>(100, 1.0));
  EXPECT_EQ(brown.bytes(), 1200U);
}

// The probabilities come from the arrays, so that a wrong entry is found.
TEST(Brown, VerificationFindsAWrongEntry) {
  const std::vector<double> weights{1, 2.5, 3};
  TiledSweep table(exact);
  table.build(weights);
  std::vector<Index> thresholds(3);
  std::vector<Index> items(6);
  for (Index i = 0; i < 3; ++i) {
    BrownWriter{thresholds.data(), items.data()}.store(i, table.table().compact_rows().load(i));
  }
  const auto is_right = [&] {
    return verify_probabilities(brown_probabilities(thresholds, items), Arithmetic::fixed_point,
                                weights)
        .ok;
  };
  EXPECT_TRUE(is_right());
  ++thresholds[0];
  EXPECT_FALSE(is_right());
  --thresholds[0];
  std::swap(items[1], items[0]);
  EXPECT_FALSE(is_right());
}

TEST(Brown, RefusesFloatingPointArithmetic) {
  EXPECT_EQ(error_of([] {
              Brown brown({Arithmetic::floating, Layout::wide_rows, 1});
            }),
            "Brown's method computes in fixed_point arithmetic only");
}

}  // namespace
}  // namespace wrsgpu::verification
