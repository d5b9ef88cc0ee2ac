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

}  // namespace
}  // namespace wrsgpu
