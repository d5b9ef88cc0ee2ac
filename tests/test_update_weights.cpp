// Changes of single weights. `gpu_test_update_weights.cu` compares the GPU with the CPU.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/error_message.hpp"
#include "wrsgpu/update_weights.hpp"

namespace wrsgpu {
namespace {

TEST(UpdateWeights, LetsTheLastValueRemain) {
  std::vector<double> weights{1, 2, 3, 4};
  update_weights(weights, std::vector<Index>{2, 0, 2, 2}, std::vector<double>{7, 8, 9, 0});
  EXPECT_EQ(weights, (std::vector<double>{8, 2, 0, 4}));
  update_weights(weights, std::vector<Index>{}, std::vector<double>{});
  EXPECT_EQ(weights, (std::vector<double>{8, 2, 0, 4}));
  std::vector<float> floats{1, 2};
  update_weights(floats, std::vector<Index>{1}, std::vector<float>{0.5F});
  EXPECT_EQ(floats, (std::vector<float>{1, 0.5F}));
}

TEST(UpdateWeights, RefusesBadUpdatesAndWritesNothing) {
  const auto refusal = [](const std::vector<Index>& indices, const std::vector<double>& values) {
    std::vector<double> weights{1, 2, 3};
    const std::string message = error_of([&] { update_weights(weights, indices, values); });
    EXPECT_EQ(weights, (std::vector<double>{1, 2, 3}));
    return message;
  };
  EXPECT_EQ(refusal({0, 1}, {5}), "argument 'values' has 1 elements; there are 2 indices");
  EXPECT_EQ(refusal({0, 3}, {5, 5}), "argument 'indices': index 1 is 3; there are 3 weights");
  EXPECT_EQ(refusal({0, 1}, {5, -2}), "argument 'values': value 1 is negative (-2)");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({0, 1}, {infinity, -2}), "argument 'values': value 0 is infinite (inf)");
  EXPECT_NE(refusal({0}, {std::numeric_limits<double>::quiet_NaN()}).find("is not a number"),
            std::string::npos);
}

}  // namespace
}  // namespace wrsgpu
