// The samplers on the GPU, each with every generator, layout and output.
#include <gtest/gtest.h>

#include <thrust/equal.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "construction/alias_table_merge_gpu.cuh"
#include "construction/alias_table_split_gpu.cuh"
#include "cpu_reference/direct_sampler.hpp"
#include "cpu_reference/expected_sampler.hpp"
#include "gpu_construction_cases.cuh"
#include "gpu_graph.cuh"
#include "gpu_many_samples.cuh"
#include "gpu_sampling_cases.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "registry/gpu_samplers.cuh"
#include "sampled_weights.hpp"
#include "sampling/auto_gpu_sampler.cuh"
#include "sampling/cached_gpu_sampler.cuh"
#include "sampling/generators/mtgp32_states.cuh"
#include "sampling/gpu_words.cuh"
#include "variant_printing.hpp"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "verification/sample_tests.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {
namespace {

using verification::all_or_few;
using verification::suite_budget;
using Sizes = std::vector<unsigned>;
using Offsets = std::vector<std::uint64_t>;

struct Case {
  const GpuSamplerInfo* sampler;
  GpuSamplerOptions options;
  TableOptions table;
  std::string name;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

/// Every kind of table.
const std::vector<TableOptions> tables{{Arithmetic::fixed_point, Layout::wide_rows, 0},
                                       {Arithmetic::fixed_point, Layout::struct_of_arrays, 0},
                                       {Arithmetic::fixed_point, Layout::compact_rows, 0},
                                       {Arithmetic::floating, Layout::wide_rows, 0},
                                       {Arithmetic::floating, Layout::struct_of_arrays, 0}};

/// None without a GPU, which the other tests of this file report.
std::vector<Case> cases() {
  std::vector<Case> all;
  if (!why_no_cuda_device().empty()) return all;
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    if (!sampler.random || sampler.chooses) continue;
    for (const GpuGenerator generator : sampler.generators) {
      for (const Seeding seeding : {Seeding::subsequence, Seeding::pkpt_md5, Seeding::pkpt_sha1}) {
        const bool is_started =
            generator == GpuGenerator::xorwow || generator == GpuGenerator::mrg32k3a;
        if (seeding != Seeding::subsequence && !is_started) continue;
        for (const TableOptions& table : tables) {
          const double bucket =
              table.arithmetic == Arithmetic::floating ? 0.0 : static_cast<double>(fixed_bucket);
          const DeviceTable one_row(table.layout, 1, bucket);
          if (!sampler.make({})->refusal(one_row).empty()) continue;
          std::string name = sampler.name + "_" + std::string(to_string(generator));
          if (is_started) name += "_" + std::string(to_string(seeding));
          name += "_" + std::string(to_string(table.layout));
          if (table.arithmetic == Arithmetic::floating) name += "_floating";
          all.push_back({&sampler, {.generator = generator, .seeding = seeding}, table, name});
        }
      }
    }
  }
  return all;
}

class GpuSamplers : public GpuTest, public testing::WithParamInterface<Case> {
 protected:
  [[nodiscard]] static bool uses_philox() {
    return GetParam().options.generator == GpuGenerator::philox ||
           GetParam().options.generator == GpuGenerator::philox7;
  }
  [[nodiscard]] static std::unique_ptr<GpuSampler> make(Index section_rows = 0) {
    GpuSamplerOptions options = GetParam().options;
    if (GetParam().sampler->sectioned) options.section_rows = section_rows;
    return GetParam().sampler->make(options);
  }
  [[nodiscard]] static std::unique_ptr<AliasTableSplitGpu> table_of(
      const std::vector<double>& weights) {
    auto table = std::make_unique<AliasTableSplitGpu>(GetParam().table, SplitGpuOptions{});
    table->build(weights);
    return table;
  }
};

TEST(GpuSamplerRegistry, NamesAreUniqueAndExplained) {
  std::set<std::string> names;
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    EXPECT_TRUE(names.insert(sampler.name).second) << sampler.name;
    EXPECT_FALSE(sampler.source.empty()) << sampler.name;
    EXPECT_FALSE(sampler.summary.empty()) << sampler.name;
    EXPECT_FALSE(sampler.generators.empty()) << sampler.name;
    EXPECT_EQ(&find_gpu_sampler(sampler.name), &sampler);
  }
}

// Constructors reject unsupported options; the first draw is too late.
TEST(GpuSamplerRegistry, HaveTheirGeneratorsAndNoOthers) {
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    for (const GpuGenerator generator :
         {GpuGenerator::philox, GpuGenerator::philox7, GpuGenerator::xorwow, GpuGenerator::mrg32k3a,
          GpuGenerator::mtgp32}) {
      const std::vector<GpuGenerator>& its = sampler.generators;
      const bool is_its = std::find(its.begin(), its.end(), generator) != its.end();
      EXPECT_EQ(error_of([&] { static_cast<void>(sampler.make({.generator = generator})); }) ==
                    "no error",
                is_its)
          << sampler.name << ", " << to_string(generator);
    }
  }
}

const auto all_weights = all_or_few<std::vector<verification::SampledWeights>>(
    verification::sampled_weights(),
    {{"uniform", 3}, {"powerlaw_1", 65'537}, {"zeros_and_ones", 1000}});

// Chi-squared, worst item and Kolmogorov-Smirnov tests, with sections of one row, of a few rows,
// and of the default size.
TEST_P(GpuSamplers, DrawTheWeights) {
  for (const verification::SampledWeights& kind : all_weights) {
    const std::vector<double> weights = kind.make();
    const auto table = table_of(weights);
    const std::vector<double> p = verification::expected_probabilities(weights);
    for (const Index section_rows : all_or_few<Sizes>({0, 7, 100}, {0, 100})) {
      if (section_rows > 0 && (!GetParam().sampler->sectioned || kind.items > 5000)) continue;
      const auto sampler = make(section_rows);
      if (!sampler->refusal(table->table()).empty()) continue;  // the table is too large
      for (const unsigned count : all_or_few<Sizes>({20, 300'000}, {10'000})) {
        SCOPED_TRACE(kind.label() + ", " + std::to_string(count) + " samples, sections of " +
                     std::to_string(section_rows));
        const std::vector<Index> samples = drawn(*sampler, table->table(), count, {2026, 5});
        const verification::Counts counts =
            verification::count_samples(samples, static_cast<Index>(weights.size()));
        const std::vector<verification::StatisticalReport> reports{
            verification::chi_squared(counts, p, 20), verification::worst_item(counts, p),
            verification::kolmogorov_smirnov(counts, p)};
        ASSERT_EQ(verification::failures(reports, suite_budget.level()), "");
      }
    }
  }
}

// A histogram counts the samples that would be written; the samples are the same.
TEST_P(GpuSamplers, CountWhatTheyWouldWrite) {
  const std::vector<double> weights = power_law(10'007);
  const auto table = table_of(weights);
  for (const Index section_rows : {0U, 1000U}) {
    const auto sampler = make(section_rows);
    for (const unsigned count : all_or_few<Sizes>({1, 255, 100'001}, {255, 10'001})) {
      const std::vector<Index> samples = drawn(*sampler, table->table(), count, {3, 9});
      EXPECT_EQ(counted(*sampler, table->table(), count, {3, 9}),
                verification::count_samples(samples, table->size()))
          << count << " samples";
    }
  }
}

// Counts are added to the existing ones.
TEST_P(GpuSamplers, CountOnTopOfCounts) {
  const auto table = table_of({1, 2, 3});
  DeviceBuffer<std::uint64_t> counts = on_device(std::vector<std::uint64_t>{100, 200, 300});
  make()->count(table->table(), 1000, counts.span(), {3, 9}, nullptr);
  std::vector<std::uint64_t> seen(3);
  copy_to_host(std::as_const(counts).data(), std::span(seen));
  EXPECT_EQ(seen[0] + seen[1] + seen[2], 1600U);
  EXPECT_GT(seen[0], 100U);
}

// The mode without output returns whether the samples of any thread have an odd sum.
TEST_P(GpuSamplers, WithoutOutputTheSumsAreStillMade) {
  const auto any_odd = [&](const std::vector<double>& weights, std::uint64_t samples) {
    const auto table = table_of(weights);
    DeviceBuffer<Index> odd(1);
    make()->draw_without_output(table->table(), samples, odd.data(), {3, 9}, nullptr);
    Index any = 7;
    copy_to_host(std::as_const(odd).data(), std::span(&any, 1));
    return any;
  };
  EXPECT_EQ(any_odd({1}, 100'001), 0U) << "item 0 only";
  EXPECT_EQ(any_odd({0, 1}, 1), 1U) << "item 1, once";
}

TEST_P(GpuSamplers, DrawOnTheCallersStream) {
  constexpr std::size_t count = 10'001;
  const auto table = table_of(power_law(5000));
  const auto sampler = make();
  const std::vector<Index> expected = drawn(*sampler, table->table(), count, {5, 3});
  EXPECT_EQ(drawn_on_another_stream(count,
                                    [&](std::span<Index> out, cudaStream_t stream) {
                                      sampler->sample(table->table(), out, {5, 3}, stream);
                                    }),
            expected);
}

// Successive samples of the output are independent; for a sectioned sampler, within a section.
TEST_P(GpuSamplers, NeighboursAreIndependent) {
  const std::vector<double> weights = uniform_weights(1000, 31);
  const auto table = table_of(weights);
  const std::vector<Index> samples =
      drawn(*make(), table->table(), verification::is_brief() ? 100'000 : 1'000'000, {4, 0});
  EXPECT_EQ(
      verification::failures(verification::test_samples(samples, weights), suite_budget.level()),
      "");
  // The words of one thread are as far apart as the number of threads.
  const std::vector<double> p = verification::expected_probabilities(weights);
  for (const std::uint64_t lag : {2U, 32U, 256U, 512U, 1024U}) {
    const verification::StatisticalReport report =
        verification::pair_independence(samples, p, {.lag = lag, .minimum_expected = 20});
    EXPECT_TRUE(report.passes(suite_budget.level())) << to_string(report);
  }
}

TEST_P(GpuSamplers, AreReproducibleAndSeedsAndOffsetsMatter) {
  const auto table = table_of(uniform_weights(5000, 32));
  const auto sampler = make(999);
  const auto samples = [&](RandomState state) {
    return drawn(*sampler, table->table(), verification::is_brief() ? 10'000 : 50'000, state);
  };
  EXPECT_EQ(samples({1, 0}), samples({1, 0}));
  EXPECT_NE(samples({1, 0}), samples({2, 0}));
  EXPECT_NE(samples({1, 0}), samples({1, 50'000}));
}

TEST_P(GpuSamplers, PhiloxDrawsTheSameWhateverTheLaunch) {
  if (!uses_philox()) GTEST_SKIP() << "only numbered words belong to samples and not to threads";
  const std::vector<double> weights = power_law(10'007);
  const auto table = table_of(weights);
  const HostTable on_host = table->to_host();
  const bool sectioned = GetParam().sampler->sectioned;
  const int rounds = GetParam().options.generator == GpuGenerator::philox7 ? 7 : 10;
  for (const unsigned threads : all_or_few<Sizes>({32, 96, 256, 1024}, {96})) {
    for (const Index section_rows : all_or_few<Sizes>({1, 500, 3333, 7000}, {1, 500})) {
      if (!sectioned && section_rows != 500) continue;
      for (const unsigned count : all_or_few<Sizes>({1, 2, 63, 100'001}, {20'001})) {
        for (const std::uint64_t offset :
             all_or_few<Offsets>({0, 1, 77, ~std::uint64_t{0} - 500}, {~std::uint64_t{0} - 500})) {
          SCOPED_TRACE(std::to_string(threads) + " threads, sections of " +
                       std::to_string(section_rows) + ", " + std::to_string(count) +
                       " samples, offset " + std::to_string(offset));
          GpuSamplerOptions options = GetParam().options;
          options.block_threads = threads;
          const RandomState state{42, offset};
          std::vector<Index> expected(count);
          if (sectioned) options.section_rows = section_rows;
          if (sectioned) {
            expected = sectioned_on_host(on_host, section_rows, count, state, rounds);
          } else if (GetParam().sampler->in_blocks) {
            const SampleBlocks cut = DirectSectionedGpuSampler(options).sample_blocks();
            expected = drawn_in_blocks_on_host(on_host, cut, count, state, rounds);
          } else {
            DirectSampler(1, rounds).sample(on_host, expected, state);
          }
          ASSERT_EQ(drawn(*GetParam().sampler->make(options), table->table(), count, state),
                    expected);
        }
      }
    }
  }
}

// A block with many sections must not reuse words from one section to the next. Here, sections are
// single rows, and every other row gives its own item half of the time: successive sections with
// the same words would decide alike.
TEST_P(GpuSamplers, SectionsOfABlockHaveWordsOfTheirOwn) {
  if (!GetParam().sampler->sectioned) GTEST_SKIP() << "has no sections";
  const Index rows = verification::is_brief() ? 3'000 : 20'000;  // several per block
  const std::uint64_t count = std::uint64_t{rows} * (verification::is_brief() ? 50 : 100);
  constexpr RandomState state{12, 34};
  std::vector<double> weights(rows);
  for (Index i = 0; i < rows; ++i) weights[i] = i % 2 == 0 ? 1 : 3;
  const auto table = table_of(weights);
  const auto sampler = make(1);
  const std::vector<Index> samples = drawn(*sampler, table->table(), count, state);
  const verification::Counts counts = verification::count_samples(samples, rows);
  EXPECT_EQ(counted(*sampler, table->table(), count, state), counts);
  const std::vector<double> p = verification::expected_probabilities(weights);
  EXPECT_TRUE(verification::worst_item(counts, p).passes(suite_budget.level()));

  const SectionTree tree({rows, 1}, count, state, SectionCounts::exact);
  // A thread draws samples whose numbers are equal modulo 32 (and more).
  const auto decisions = [&](Index section) {
    const SectionShare share = tree.share(section);
    std::array<bool, 32> is_own{};
    for (std::uint64_t k = share.first_sample; k < share.first_sample + share.samples; ++k) {
      is_own[k % 32] = samples[k] == section;
    }
    return is_own;
  };
  double agree = 0;
  for (Index section = 0; section + 2 < rows; section += 2) {
    const auto one = decisions(section);
    const auto next = decisions(section + 2);
    for (std::size_t k = 0; k < 32; ++k) agree += one[k] == next[k] ? 1 : 0;
  }
  // Fair coins, five standard deviations: a false-alarm rate of 10^-6.
  const double variates = (rows / 2 - 1) * 32.0;
  EXPECT_NEAR(agree / variates, 0.5, 5 * 0.5 / std::sqrt(variates));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuSamplers);
INSTANTIATE_TEST_SUITE_P(, GpuSamplers, testing::ValuesIn(cases()), [](const auto& instance) {
  return verification::test_name(instance.param.name);
});

using GpuSampling = GpuTest;

TEST_F(GpuSampling, ExpectedIsTheHosts) {
  const std::vector<double> weights = power_law(1000);
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  table.build(weights);
  std::vector<Index> expected(54'321);
  ExpectedSampler().sample(table.to_host(), expected, {});
  EXPECT_EQ(drawn(*find_gpu_sampler("expected").make({}), table.table(), expected.size(), {}),
            expected);
}

TEST_F(GpuSampling, ApproximateSectionCountsAreTheHosts) {
  const std::vector<double> weights = power_law(10'007);
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {});
  table.build(weights);
  const HostTable on_host = table.to_host();
  const auto sampler = find_gpu_sampler("cached").make(
      {.section_rows = 100, .section_counts = SectionCounts::normal_approximation});
  EXPECT_EQ(
      drawn(*sampler, table.table(), 100'001, {6, 0}),
      sectioned_on_host(on_host, 100, 100'001, {6, 0}, 10, SectionCounts::normal_approximation));
}

// Thesis 4.8.5.
TEST_F(GpuSampling, LimitedSectionsAreTheSameWithAnyCachePreference) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {});
  table.build(power_law(10'007));
  const GpuSamplerOptions options{.section_rows = 1000};
  constexpr std::size_t count = 100'001;
  const std::vector<Index> expected =
      drawn(LimitedCachedGpuSampler(options), table.table(), count, {6, 0});
  for (const auto& [cache, carveout] :
       {std::pair{Cache::prefer_l1, cudaSharedmemCarveoutMaxL1},
        std::pair{Cache::prefer_shared, cudaSharedmemCarveoutMaxShared},
        std::pair{Cache::no_preference, cudaSharedmemCarveoutDefault}}) {
    SCOPED_TRACE("carveout " + std::to_string(carveout));
    const LimitedCachedGpuSampler sampler(options, cache);
    EXPECT_EQ(drawn(sampler, table.table(), count, {6, 0}), expected);
    DeviceBuffer<Index> samples(count);
    const Graph graph([&](cudaStream_t stream) {
      sampler.sample(table.table(), samples.span(), {6, 0}, stream);
    });
    ASSERT_EQ(graph.kernels().size(), 1U);
    EXPECT_EQ(graph.kernels().front().attributes.preferredShmemCarveout, carveout);
  }
}

TEST_F(GpuSampling, RefusesNothingToDrawAndNothingToDrawFrom) {
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  DeviceBuffer<Index> out(1);
  DeviceBuffer<std::uint64_t> counts(2);
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    const auto sampler = info.make({});
    EXPECT_THROW(sampler->sample(table.table(), out.span(), {}, nullptr), Error) << info.name;
  }
  table.build(std::vector<double>{1, 2});
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    const auto sampler = info.make({});
    const auto error_of_count = [&](std::uint64_t samples, std::size_t items) {
      return error_of(
          [&] { sampler->count(table.table(), samples, counts.span().first(items), {}, nullptr); });
    };
    EXPECT_NO_THROW(sampler->sample(table.table(), {}, {}, nullptr)) << info.name;
    EXPECT_EQ(error_of_count(0, 2), "no error") << info.name;
    EXPECT_EQ(error_of_count(5, 1),
              "count: argument 'counts' has 1 elements, the table has 2 items");
  }
}

TEST_F(GpuSampling, RefusesIncompatibleOptions) {
  const auto error = [](const char* name, const GpuSamplerOptions& options) {
    return error_of([&] { static_cast<void>(find_gpu_sampler(name).make(options)); });
  };
  EXPECT_EQ(error("cached", {.generator = GpuGenerator::mtgp32}),
            "generator mtgp32 has one state for each block, which sections cannot share; use it "
            "with sampler baseline");
  EXPECT_EQ(error("baseline", {.generator = GpuGenerator::mtgp32, .blocks = 201}),
            "argument 'blocks' is 201; MTGP32 has 200 generators");
  EXPECT_EQ(error("baseline", {.generator = GpuGenerator::mtgp32, .block_threads = 512}),
            "argument 'block_threads' is 512; of MTGP32 at most 256 threads share a state");
  EXPECT_EQ(error("baseline", {.block_threads = 100}),
            "argument 'block_threads' is 100; it must be a multiple of 32, at most 1024");
  EXPECT_EQ(error("baseline", {.generator = GpuGenerator::philox7}),
            "generator philox7 is for the samplers that draw words in halves, such as direct and "
            "sectioned");
  EXPECT_EQ(error("baseline", {.seeding = Seeding::pkpt_md5}),
            "seeding pkpt_md5 requires per-thread generators; philox needs no seeding");
  EXPECT_EQ(error("shared_memory", {.blocks = 5}),
            "argument 'blocks' is 5; a sectioned sampler derives the number of blocks from the "
            "sections");
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    if (info.sectioned || info.chooses) continue;
    EXPECT_EQ(error(info.name.c_str(), {.section_rows = 9}),
              "argument 'section_rows' is 9; this sampler has no sections");
    EXPECT_EQ(error(info.name.c_str(), {.section_counts = SectionCounts::normal_approximation}),
              "argument 'section_counts' is normal_approximation; this sampler has no sections");
  }
  EXPECT_EQ(error("expected", {.block_threads = 64}),
            "arguments 'blocks' and 'block_threads': this sampler draws on the host");
  EXPECT_EQ(error("expected", {.generator = GpuGenerator::xorwow}),
            "generator xorwow: this sampler takes no random words");
}

// Rejected before anything is written; the message gives the sufficient length.
TEST_F(GpuSampling, RefusesSectionsThatSharedMemoryHasNoRoomFor) {
  AliasTableSplitGpu table({}, {});
  table.build(uniform_weights(100'000, 33));
  DeviceBuffer<Index> any_odd = on_device(std::vector<Index>{7});
  const auto error = [&](Index rows) {
    const auto sampler = find_gpu_sampler("shared_memory").make({.section_rows = rows});
    return error_of(
        [&] { sampler->draw_without_output(table.table(), 10, any_odd.data(), {}, nullptr); });
  };
  for (const Index rows : {50'000U, 200'000U}) {
    const std::string message = error(rows);
    EXPECT_NE(message.find("a section's " + std::to_string(std::min(rows, 100'000U)) + " rows"),
              std::string::npos)
        << message;
    Index left = 0;
    copy_to_host(std::as_const(any_odd).data(), std::span(&left, 1));
    EXPECT_EQ(left, 7U);
    const auto advised = static_cast<Index>(std::stoul(message.substr(message.rfind(' ') + 1)));
    EXPECT_EQ(error(advised), "no error") << message;
    EXPECT_NE(error(advised + 1), "no error");
    any_odd = on_device(std::vector<Index>{7});
  }
}

// The test of the thesis (4.9): Kolmogorov-Smirnov with 10^4, 10^5 and 10^6 samples.
TEST_F(GpuSampling, KolmogorovSmirnovAtTheThesissNumbersOfSamples) {
  const std::vector<double> weights = uniform_weights(100'000, 34);
  const std::vector<double> p = verification::expected_probabilities(weights);
  AliasTableSplitGpu wide({}, {});
  AliasTableSplitGpu compact({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  wide.build(weights);
  compact.build(weights);
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    const AliasTableSplitGpu& table = info.compact_rows_only ? compact : wide;
    if (!info.random || !info.make({})->refusal(table.table()).empty()) continue;
    for (const std::size_t count : {10'000U, 100'000U, 1'000'000U}) {
      const verification::Counts counts = verification::count_samples(
          drawn(*info.make({}), table.table(), count, {8, count}), 100'000);
      const verification::StatisticalReport report = verification::kolmogorov_smirnov(counts, p);
      EXPECT_TRUE(report.passes(suite_budget.level())) << info.name << ": " << to_string(report);
      // A fault that must be detected for every number of samples: the first tenth of the items is
      // replaced by the second.
      verification::Counts moved = counts;
      for (std::size_t i = 0; i < 10'000; ++i) {
        moved[i + 10'000] += moved[i];
        moved[i] = 0;
      }
      EXPECT_FALSE(verification::kolmogorov_smirnov(moved, p).passes(suite_budget.level()));
    }
  }
}

// 10^11 samples of each sampler and layout, and of the automatic choice, from a merged table.
// (gpu_test_fast_sampling has the samplers with split words.)
TEST_F(GpuSampling, NoSampleOfManyIsOutOfRangeOrHasNoWeight) {
  const std::vector<float> weights = weights_with_zeros(1'000'003);
  const auto draw_many = [&](const GpuSamplerInfo& info, GpuAliasTable& table) {
    SCOPED_TRACE(info.name + ", " + std::string(to_string(table.options().layout)));
    table.build(weights);
    const auto sampler = info.make({});
    expect_items_with_weight(weights, [&](std::span<Index> out, RandomState state) {
      sampler->sample(table.table(), out, state, nullptr);
    });
  };
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    if (!info.random || info.compact_rows_only) continue;
    if (info.chooses) {
      AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0});
      draw_many(info, table);
      continue;
    }
    for (const TableOptions& options : tables) {
      AliasTableSplitGpu table(options, {});
      draw_many(info, table);
    }
  }
}

// Sample numbers beyond 32 bits, in one call.
TEST_F(GpuSampling, MoreThan32BitsOfSamples) {
  constexpr std::uint64_t samples = 5'000'000'000;
  const std::vector<double> weights = uniform_weights(100'003, 39);
  const std::vector<double> p = verification::expected_probabilities(weights);
  AliasTableSplitGpu wide({}, {});
  AliasTableSplitGpu compact({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  wide.build(weights);
  compact.build(weights);
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    if (!info.random || info.chooses) continue;
    const AliasTableSplitGpu& table = info.compact_rows_only ? compact : wide;
    const auto sampler = info.make({});
    if (!sampler->refusal(table.table()).empty()) continue;
    const verification::Counts counts = counted(*sampler, table.table(), samples, {40, 0});
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), samples);
    EXPECT_TRUE(verification::chi_squared(counts, p, 20).passes(suite_budget.level())) << info.name;
    EXPECT_TRUE(verification::worst_item(counts, p).passes(suite_budget.level())) << info.name;
  }
}

constexpr unsigned block_parts = 4;
/// The low or the high halves of the words, as obtained by a kernel over the whole grid, or by one
/// whose blocks have `block_parts` parts of the samples each.
template <class Words>
__global__ void write_halves(Words words, std::uint64_t count, bool by_blocks, int shift,
                             ToSamples output) {
  const auto pick = [shift](std::uint64_t word) { return static_cast<Index>(word >> shift); };
  if (by_blocks) {
    auto started = words.start();
    const std::uint64_t part = count / (gridDim.x * block_parts);
    for (unsigned k = blockIdx.x * block_parts; k < (blockIdx.x + 1) * block_parts; ++k) {
      started.draw(k * part, (k + 1) * part, threadIdx.x, blockDim.x, pick, output);
    }
  } else {
    words.start().draw(0, count, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                       std::uint64_t{gridDim.x} * blockDim.x, pick, output);
  }
}

/// All words of a launch; `make_words` creates their source again for each half.
template <class MakeWords>
void append_words(const MakeWords& make_words, bool by_blocks, std::vector<std::uint64_t>& all) {
  constexpr std::uint64_t count = 512'000;
  constexpr unsigned blocks = 100;
  std::vector<std::vector<Index>> halves;
  for (const int shift : {0, 32}) {
    DeviceBuffer<Index> out(count);
    auto words = make_words();
    write_halves<<<blocks, 256>>>(words.source, count, by_blocks, shift, ToSamples{out.data()});
    check_launch("write_halves");
    halves.emplace_back(count);
    copy_to_host(std::as_const(out).data(), std::span(halves.back()));
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    all.push_back(halves[0][k] | std::uint64_t{halves[1][k]} << 32);
  }
}

template <class Words>
struct Owned {
  Words source;
};
struct OwnedMtgp {
  std::unique_ptr<random::Mtgp32States> states;
  MtgpWords source;
};

// No two samples, threads, blocks or calls share a word: among so few 64-bit words, two are equal
// by chance once in 10^7 runs.
TEST_F(GpuSampling, NoWordComesTwice) {
  const auto expect_distinct = [](const std::string& what, const auto& make_words) {
    for (const bool by_blocks : {false, true}) {
      std::vector<std::uint64_t> all;
      for (const RandomState state :
           {RandomState{1, 0}, RandomState{1, 512'000}, RandomState{2, 0}}) {
        append_words([&] { return make_words(state); }, by_blocks, all);
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end())
          << what << (by_blocks ? ", by blocks" : "");
    }
  };
  expect_distinct("philox",
                  [](RandomState state) { return Owned<PhiloxWords>{PhiloxWords(state)}; });
  for (const Seeding seeding : {Seeding::subsequence, Seeding::pkpt_md5, Seeding::pkpt_sha1}) {
    expect_distinct("xorwow " + std::string(to_string(seeding)), [&](RandomState state) {
      return Owned<ThreadWords<XorwowStream>>{{state, seeding}};
    });
    expect_distinct("mrg32k3a " + std::string(to_string(seeding)), [&](RandomState state) {
      return Owned<ThreadWords<Mrg32k3aStream>>{{state, seeding}};
    });
  }
  expect_distinct("mtgp32", [](RandomState state) {
    auto states = std::make_unique<random::Mtgp32States>(100, state);
    curandStateMtgp32_t* const data = states->data();
    return OwnedMtgp{std::move(states), {data}};
  });
}

TEST_F(GpuSampling, AutoDrawsAsTheSamplerThatItChooses) {
  const std::vector<std::string_view> known{"baseline", "cached_limited", "shared_memory", "direct",
                                            "sectioned"};
  std::set<std::string_view> chosen;
  for (const TableOptions& options :
       {TableOptions{}, TableOptions{Arithmetic::fixed_point, Layout::compact_rows, 0}}) {
    for (const Index items : {1000U, 1'000'000U}) {
      AliasTableSplitGpu table(options, {});
      table.build(uniform_weights(items, 37));
      for (const std::size_t count : {1U, 100'000U, 100'000'000U, 500'000'000U}) {
        const std::string_view choice = AutoGpuSampler().choice(table.table(), count);
        chosen.insert(choice);
        ASSERT_NE(std::find(known.begin(), known.end(), choice), known.end());
        DeviceBuffer<Index> automatic(count);
        DeviceBuffer<Index> by_name(count);
        AutoGpuSampler().sample(table.table(), automatic.span(), {38, 1}, nullptr);
        find_gpu_sampler(choice).make({})->sample(table.table(), by_name.span(), {38, 1}, nullptr);
        EXPECT_TRUE(thrust::equal(thrust::device, automatic.data(), automatic.data() + count,
                                  by_name.data()))
            << choice << ", " << count << " samples";
      }
    }
  }
  EXPECT_EQ(chosen.size(), known.size()) << "some sampler is never chosen";
  AliasTableSplitGpu table({}, {});
  table.build(uniform_weights(1'000'000, 37));
  const auto choice = [&](const GpuSamplerOptions& options) {
    return AutoGpuSampler(options).choice(table.table(), 1'000'000'000);
  };
  EXPECT_EQ(choice({.generator = GpuGenerator::mtgp32}), "baseline");
  EXPECT_EQ(choice({.blocks = 132}), "baseline");
  EXPECT_EQ(AutoGpuSampler({.section_rows = 100}).choice(table.table(), 5), "cached_limited");
  EXPECT_NE(error_of([] { AutoGpuSampler({.section_rows = 100, .blocks = 5}); }), "no error");
  const std::string_view approximate =
      choice({.section_counts = SectionCounts::normal_approximation});
  EXPECT_TRUE(approximate == "shared_memory" || approximate == "cached_limited") << approximate;
}

TEST_F(GpuSampling, AutoDrawsWithEachGeneratorAsTheSamplerThatItChooses) {
  for (const TableOptions& options :
       {TableOptions{}, TableOptions{Arithmetic::fixed_point, Layout::compact_rows, 0}}) {
    for (const Index items : {1000U, 1'000'000U}) {
      AliasTableSplitGpu table(options, {});
      table.build(uniform_weights(items, 39));
      for (const GpuGenerator generator :
           {GpuGenerator::xorwow, GpuGenerator::mrg32k3a, GpuGenerator::mtgp32}) {
        for (const std::size_t count : {std::size_t{1000}, std::size_t{20'000'000}}) {
          const AutoGpuSampler sampler({.generator = generator});
          const std::string_view choice = sampler.choice(table.table(), count);
          EXPECT_EQ(drawn(sampler, table.table(), count, {40, 1}),
                    drawn(*find_gpu_sampler(choice).make({.generator = generator}), table.table(),
                          count, {40, 1}))
              << to_string(generator) << ", " << choice << ", " << items << " items";
        }
      }
    }
  }
}

TEST_F(GpuSampling, AutoDrawsWithPhiloxOf7RoundsFromCompactRows) {
  constexpr GpuGenerator seven = GpuGenerator::philox7;
  constexpr std::size_t maximum = 100'000'000;
  AliasTableSplitGpu compact({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  AliasTableSplitGpu wide({}, {});
  compact.build(uniform_weights(100'000, 37));
  wide.build(uniform_weights(100'000, 37));
  const AutoGpuSampler sampler({.generator = seven});
  EXPECT_EQ(sampler.choice(compact.table(), 1000), "direct");
  EXPECT_EQ(sampler.choice(compact.table(), maximum), "sectioned");
  for (const std::size_t count : {std::size_t{1000}, maximum}) {
    EXPECT_EQ(
        drawn(sampler, compact.table(), count, {38, 1}),
        drawn(*find_gpu_sampler(sampler.choice(compact.table(), count)).make({.generator = seven}),
              compact.table(), count, {38, 1}));
  }
  EXPECT_EQ(AutoGpuSampler({.generator = seven, .section_rows = 100}).choice(compact.table(), 5),
            "sectioned");
  EXPECT_EQ(AutoGpuSampler({.generator = seven, .blocks = 132}).choice(compact.table(), maximum),
            "direct");
  EXPECT_NE(error_of([&] { drawn(sampler, wide.table(), 10, {}); }).find("compact_rows"),
            std::string::npos);
}

TEST_F(GpuSampling, RegistryFindsByNameAndListsWhenItDoesNot) {
  EXPECT_EQ(find_gpu_sampler("baseline").name, "baseline");
  const std::string message = error_of([] { static_cast<void>(find_gpu_sampler("nonsense")); });
  EXPECT_NE(message.find("baseline"), std::string::npos) << message;
}

}  // namespace
}  // namespace wrsgpu
