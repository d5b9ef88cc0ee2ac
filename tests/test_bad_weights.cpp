// Weights that every method must reject: each variant throws an error with a helpful message and
// keeps its table.
#include <gtest/gtest.h>

#include <limits>

#include "error_message.hpp"
#include "gpu_methods_note.hpp"
#include "registry/variants.hpp"
#include "variant_printing.hpp"
#include "verification/brief.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"

namespace wrsgpu::verification {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double greatest = std::numeric_limits<double>::max();

void expect_mentions(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

// The message of the program is tested with the program.
TEST(MissingDevice, IsNamedByEveryMethodThatNeedsOne) {
  const std::string why = why_no_cuda_device();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  bool any = false;
  for (const BuildMethod& method : methods()) {
    if (method.device != Device::cuda) continue;
    any = true;
    expect_mentions(error_of([&] { method.make(variants(method).front()); }), {why.c_str()});
  }
  if (!any) GTEST_SKIP() << "built without CUDA: no method needs a device";
}

class BadWeights : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override { table_ = GetParam().make(); }

  /// The error of a build on an existing table, which must equal that of a build on a new one.
  template <class Weights>
  std::string refusal_of(const Weights& weights) {
    const auto fresh = GetParam().make();
    std::string message = error_of([&] { fresh->build(weights); });
    EXPECT_EQ(fresh->size(), 0U);

    table_->build(std::vector<double>{1, 2, 3, 0, 4});
    const std::vector<double> before = table_->probabilities();
    EXPECT_EQ(error_of([&] { table_->build(weights); }), message);
    EXPECT_EQ(table_->size(), 5U);
    EXPECT_EQ(table_->probabilities(), before) << "the old table was changed";
    return message;
  }

  std::unique_ptr<SamplingAlgorithm> table_;
};

TEST_P(BadWeights, None) {
  expect_mentions(refusal_of(std::vector<double>{}), {"weights", "empty"});
  expect_mentions(refusal_of(std::vector<float>{}), {"weights", "empty"});
}

TEST_P(BadWeights, NotANumber) {
  expect_mentions(refusal_of(std::vector<double>{1, 2, 3, nan, 5}), {"weights", "weight 3", "nan"});
  expect_mentions(refusal_of(std::vector<double>{nan}), {"weight 0", "nan"});
  expect_mentions(refusal_of(std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN()}),
                  {"weight 2", "nan"});
}

TEST_P(BadWeights, Infinite) {
  expect_mentions(refusal_of(std::vector<double>{1, infinity, 3}), {"weight 1", "inf"});
  expect_mentions(refusal_of(std::vector<double>{1, 2, -infinity}), {"weight 2", "-inf"});
  expect_mentions(refusal_of(std::vector<float>{std::numeric_limits<float>::infinity()}),
                  {"weight 0", "inf"});
}

TEST_P(BadWeights, Negative) {
  expect_mentions(refusal_of(std::vector<double>{1, 2, 3, 4, -0.25}),
                  {"weight 4", "negative", "-0.25"});
  // The smallest possible negative weight, among large positive ones.
  expect_mentions(
      refusal_of(std::vector<double>{1e300, -std::numeric_limits<double>::denorm_min(), 1e300}),
      {"weight 1", "negative", "-4.9"});
}

TEST_P(BadWeights, TheFirstOfManyIsNamed) {
  std::vector<double> weights(100'000, 1.0);
  weights[70'001] = -1;
  weights[66'000] = nan;
  weights[99'999] = infinity;
  expect_mentions(refusal_of(weights), {"weight 66000", "nan"});
}

TEST_P(BadWeights, InTheLastPlace) {
  for (const std::size_t n : {1U, 15U, 16U, 17U, 1024U, 1025U, 65'537U}) {
    std::vector<double> weights(n, 1.0);
    weights[n - 1] = -2;
    expect_mentions(error_of([&] { table_->build(weights); }),
                    {("weight " + std::to_string(n - 1)).c_str(), "-2"});
  }
}

TEST_P(BadWeights, AllZero) {
  expect_mentions(refusal_of(std::vector<double>{0}), {"weights", "zero"});
  expect_mentions(refusal_of(std::vector<double>(1000, 0.0)), {"1000", "zero"});
  expect_mentions(refusal_of(std::vector<double>{0.0, -0.0}), {"zero"});
}

TEST_P(BadWeights, SumOverflows) {
  expect_mentions(refusal_of(std::vector<double>{greatest, 1, greatest}), {"sum", "overflow"});
  expect_mentions(refusal_of(std::vector<double>(1000, greatest / 500)), {"sum", "overflow"});
}

TEST_P(BadWeights, GreatestSumThatDoesNotOverflow) {
  ASSERT_NO_THROW(table_->build(std::vector<double>{greatest}));
  ASSERT_NO_THROW(table_->build(std::vector<double>{greatest / 2, greatest / 2}));
  EXPECT_EQ(table_->probabilities(), (std::vector<double>{0.5, 0.5}));
}

// Sizes that exceed any memory: rejected before the first weight is read.
TEST_P(BadWeights, TooMany) {
  const double one = 1;
  for (const std::uint64_t items : {max_items + 1, std::uint64_t{1} << 40}) {
    const std::string message =
        refusal_of(WeightsView(std::span<const double>(&one, static_cast<std::size_t>(items))));
    expect_mentions(message, {"weights", std::to_string(items).c_str(), "4294967294"});
  }
}

/// The first variant of each method: weights are validated before the layout matters.
std::vector<Variant> few_variants() {
  std::vector<Variant> few;
  for (const BuildMethod* method : available_methods())
    few.push_back(all_variants(*method, 2).front());
  return few;
}

INSTANTIATE_TEST_SUITE_P(, BadWeights,
                         testing::ValuesIn(all_or_few(available_variants(2), few_variants())),
                         [](const auto& instance) { return test_name(instance.param.name); });

TEST(BadWeightsOnTheGpu, AreRefused) { skip_where_gpu_methods_are_left_out(); }

}  // namespace
}  // namespace wrsgpu::verification
