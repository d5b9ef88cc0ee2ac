// Changes of single weights. `gpu_test_update_weights.cu` compares the GPU with the CPU.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/error_message.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/update_weights.hpp"
#include "wrsgpu/weighted_sampler.hpp"

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

std::vector<Index> drawn(const WeightedSampler& sampler) {
  std::vector<Index> samples(1000);
  sampler.draw(samples, {1, 0});
  return samples;
}

TEST(KeptWeights, AreUpdatedAndChosenFrom) {
  WeightedSampler sampler(std::vector<float>{1, 2, 3, 4}, {.keep_weights = true});
  sampler.update(std::vector<Index>{3, 1, 3}, std::vector<float>{9, 0, 5});
  const std::vector<float> expected{1, 0, 3, 5};
  EXPECT_EQ(drawn(sampler), drawn(WeightedSampler(expected)));
  std::vector<Index> chosen(3);
  std::vector<Index> chosen_of_all(3);
  choose(sampler.weights(), chosen, {2, 0});
  choose(expected, chosen_of_all, {2, 0});
  EXPECT_EQ(chosen, chosen_of_all);
  sampler.rebuild(std::vector<double>{7, 8});
  sampler.update(std::vector<Index>{0}, std::vector<double>{0});
  EXPECT_EQ(drawn(sampler), std::vector<Index>(1000, 1));
  WeightedSampler moved = std::move(sampler);
  moved.update(std::vector<Index>{0}, std::vector<double>{3});
  EXPECT_EQ(drawn(moved), drawn(WeightedSampler({3, 8})));
}

TEST(KeptWeights, AreUnchangedByARefusedUpdate) {
  WeightedSampler sampler({1.0, 2.0}, {.keep_weights = true});
  const std::vector<Index> before = drawn(sampler);
  EXPECT_EQ(error_of([&] { sampler.update(std::vector<Index>{2}, std::vector<double>{1}); }),
            "argument 'indices': index 0 is 2; there are 2 weights");
  EXPECT_EQ(error_of([&] {
              sampler.update(std::vector<Index>{0, 1, 0}, std::vector<double>{3, 0, 0});
            }),
            "argument 'values': with them all 2 weights are zero");
  EXPECT_EQ(error_of([&] {
              sampler.update(std::vector<Index>{0, 1}, std::vector<double>{1e308, 1e308});
            }),
            "argument 'values': with them the sum of all 2 overflows double precision (the largest "
            "is 1e+308)");
  EXPECT_EQ(error_of([&] { sampler.update(std::vector<Index>{0}, std::vector<float>{1}); }),
            "argument 'values' has type float; the sampler keeps weights of the other type");
  EXPECT_EQ(drawn(sampler), before);
  sampler.update(std::vector<Index>{}, std::vector<double>{});
  EXPECT_EQ(drawn(sampler), before);
  WeightedSampler without({1.0, 2.0});
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { static_cast<void>(without.weights()); },
           [&] { without.update(std::vector<Index>{0}, std::vector<double>{1}); }}) {
    EXPECT_EQ(error_of(call),
              "the sampler keeps no weights; construct it from weights with the option "
              "keep_weights");
  }
}

TEST(UpdateWeights, RefusesBadUpdatesAndWritesNothing) {
  const auto refusal = [](const std::vector<Index>& indices, const std::vector<double>& values) {
    std::vector<double> weights{1, 2, 3};
    std::string message = error_of([&] { update_weights(weights, indices, values); });
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
