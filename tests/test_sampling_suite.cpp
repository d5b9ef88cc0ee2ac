// Every registered sampler on every kind of table, and the samples of every method itself. New
// samplers and methods are included by registering them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cpu_reference/direct_sampler.hpp"
#include "gpu_methods_note.hpp"
#include "planted_bias.hpp"
#include "sampled_weights.hpp"
#include "try_build.hpp"
#include "variant_printing.hpp"
#include "verification/brief.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/sampling/batched_sampler.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

using Numbers = std::vector<std::uint64_t>;

const auto all_weights =
    all_or_few(sampled_weights_of_cpu(),
               {{"powerlaw_1_shuffled", 257}, {"zeros_and_ones", 1000}, {"uniform", 1024}});
const auto many_samples = all_or_few<std::size_t>(300'000, 20'000);

/// Requirements on all samplers and methods: `sample(count, state)` returns samples of `weights`.
template <class Sample>
void expect_correct_samples(const std::vector<double>& weights, const Sample& sample) {
  const std::vector<Index> samples = sample(many_samples, RandomState{2024, 0});
  EXPECT_EQ(failures(test_samples(samples, weights), suite_budget.level()), "");

  // A shorter draw is a prefix of a longer one.
  for (const std::size_t count :
       all_or_few<Numbers>({1, 2, 3, 31, 1000, 65'536, 65'537}, {1, 1000})) {
    const std::vector<Index> shorter = sample(count, RandomState{2024, 0});
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), samples.begin())) << count << " samples";
  }
  // An offset skips that many samples.
  for (const std::uint64_t offset : all_or_few<Numbers>({1, 2, 999, 70'000}, {1, 999})) {
    const std::vector<Index> later = sample(1000, RandomState{2024, offset});
    EXPECT_TRUE(std::equal(later.begin(), later.end(),
                           samples.begin() + static_cast<std::ptrdiff_t>(offset)))
        << "offset " << offset;
  }
  // Counters beyond 32 bits, and the wrap-around at 64 bits.
  for (const std::uint64_t offset : {std::uint64_t{1} << 32, std::uint64_t{0} - 1000}) {
    const std::vector<Index> far = sample(many_samples / 3, RandomState{2024, offset});
    EXPECT_EQ(failures(test_samples(far, weights), suite_budget.level()), "")
        << "offset " << offset;
  }
  // A different seed gives different, equally correct samples.
  const std::vector<Index> others = sample(many_samples, RandomState{0xFEDC'BA98'7654'3210U, 0});
  EXPECT_EQ(failures(test_samples(others, weights), suite_budget.level()), "");
  const std::vector<double> p = expected_probabilities(weights);
  if (*std::max_element(p.begin(), p.end()) < 0.9) {
    EXPECT_FALSE(others == samples);
  }
}
// Number of statistical reports in one call of the function above.
constexpr std::uint64_t tests_per_call = std::uint64_t{4} * 4;

/// One sampler on one kind of table.
struct SamplerCase {
  const SamplerInfo* sampler;
  TableOptions options;
  std::string name;
};
void PrintTo(const SamplerCase& sampler, std::ostream* out) { *out << sampler.name; }

std::vector<SamplerCase> sampler_cases() {
  std::vector<SamplerCase> cases;
  for (const SamplerInfo& sampler : samplers()) {
    for (const Variant& variant : all_variants(find_method("sweep"), 1)) {
      cases.push_back({&sampler, variant.options,
                       sampler.name + variant.name.substr(variant.method->name.size())});
    }
  }
  return cases;
}

class SamplerSuite : public testing::TestWithParam<SamplerCase> {
 protected:
  static std::vector<Index> sample(const HostTable& table, std::size_t count, RandomState state,
                                   unsigned threads = 1) {
    std::vector<Index> out(count, 0xFFFF'FFFFU);
    GetParam().sampler->make(threads)->sample(table, out, state);
    return out;
  }
};

TEST_P(SamplerSuite, SamplesAreCorrect) {
  if (!GetParam().sampler->random) GTEST_SKIP() << GetParam().name << " does not draw at random";
  for (const SampledWeights& kind : all_weights) {
    SCOPED_TRACE(kind.label());
    const std::vector<double> weights = kind.make();
    const HostTable table = built_table(weights, GetParam().options);
    expect_correct_samples(
        weights, [&](std::size_t count, RandomState state) { return sample(table, count, state); });
    if (HasFailure()) return;
  }
}

TEST_P(SamplerSuite, ThreadsDoNotChangeTheSamples) {
  for (const SampledWeights& kind : all_weights) {
    SCOPED_TRACE(kind.label());
    const HostTable table = built_table(kind.make(), GetParam().options);
    for (const std::size_t count : {1U, 1000U, 65'537U, 200'000U}) {
      const std::vector<Index> one_thread = sample(table, count, {3, 5}, 1);
      for (const unsigned threads : {0U, 2U, 3U, 8U}) {
        ASSERT_TRUE(sample(table, count, {3, 5}, threads) == one_thread)
            << count << " samples, " << threads << " threads";
      }
    }
  }
}

TEST_P(SamplerSuite, DrawsOnlyItemsThatWeighSomething) {
  const std::vector<double> weights = find_weight_family("mostly_zeros").make(4097);
  for (const Index item : sample(built_table(weights, GetParam().options), 100'000, {4, 0})) {
    ASSERT_LT(item, weights.size());
    ASSERT_GT(weights[item], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, SamplerSuite, testing::ValuesIn(sampler_cases()),
                         [](const auto& instance) { return test_name(instance.param.name); });

TEST(Samplers, BatchedDrawsWhatDirectDraws) {
  for (const Variant& variant : all_variants(find_method("sweep"), 1)) {
    for (const SampledWeights& kind : all_weights) {
      SCOPED_TRACE(variant.name + ", " + kind.label());
      const HostTable table = built_table(kind.make(), variant.options);
      for (const std::size_t count : {1U, 255U, 256U, 257U, 100'000U}) {
        // Starts at every word of a quad, and beyond the last word.
        for (const std::uint64_t offset : Numbers{0, 77, 78, 79, std::uint64_t{0} - 301}) {
          for (const int rounds : {7, 10}) {
            std::vector<Index> direct(count);
            std::vector<Index> batched(count);
            DirectSampler(1, rounds).sample(table, direct, {5, offset});
            BatchedSampler(2, rounds).sample(table, batched, {5, offset});
            ASSERT_TRUE(direct == batched)
                << count << " samples from " << offset << ", " << rounds << " rounds";
          }
        }
      }
    }
  }
}

/// `SamplingAlgorithm::sample` of every variant, alias table or not.
class MethodSamples : public testing::TestWithParam<Variant> {};

TEST_P(MethodSamples, AreCorrect) {
  const auto built = GetParam().make();
  for (const SampledWeights& kind : all_weights) {
    if (kind.items > GetParam().method->practical_items) continue;
    SCOPED_TRACE(kind.label());
    const std::vector<double> weights = kind.make();
    if (!builds(*built, weights, *GetParam().method)) continue;
    expect_correct_samples(weights, [&](std::size_t count, RandomState state) {
      std::vector<Index> out(count, 0xFFFF'FFFFU);
      built->sample(out, state);
      return out;
    });
    if (HasFailure()) return;
  }
}

TEST_P(MethodSamples, MayBeNone) {
  const auto built = GetParam().make();
  built->build(std::vector<double>{1, 2, 3});
  EXPECT_NO_THROW(built->sample(std::span<Index>(), {1, 0}));
}

INSTANTIATE_TEST_SUITE_P(, MethodSamples, testing::ValuesIn(available_variants(1)),
                         [](const auto& instance) { return test_name(instance.param.name); });

TEST(MethodRegistry, GpuMethodsDraw) { skip_where_gpu_methods_are_left_out(); }

TEST(FalseAlarms, TheSuiteStaysWithinItsBudget) {
  const std::uint64_t tests =
      (sampler_cases().size() + all_variants(1).size()) * all_weights.size() * tests_per_call;
  EXPECT_LE(tests, suite_budget.tests() / 2)
      << "raise suite_budget (verification/false_alarm_budget.hpp); the other half is for "
         "test_statistics";
}

}  // namespace
}  // namespace wrsgpu::verification
