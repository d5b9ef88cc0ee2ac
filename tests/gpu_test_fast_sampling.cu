// The samplers with split words: they give the samples of the CPU for any launch configuration,
// alignment and ties.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "construction/alias_table_merge_gpu.cuh"
#include "construction/alias_table_split_gpu.cuh"
#include "cpu_reference/direct_sampler.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "gpu_construction_cases.cuh"
#include "gpu_graph.cuh"
#include "gpu_many_samples.cuh"
#include "gpu_sampling_cases.cuh"
#include "gpu_test.hpp"
#include "registry/gpu_samplers.cuh"
#include "rows16_on_host.hpp"
#include "sampling/auto_gpu_sampler.cuh"
#include "sampling/random_order_gpu_sampler.cuh"
#include "table_rows.hpp"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "verification/sample_tests.hpp"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/sampling/direct_packed_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_short_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/split_word_row.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"

namespace wrsgpu {
namespace {

using GpuFastSampling = GpuTest;

constexpr std::uint64_t last_word = ~std::uint64_t{0};
/// Word 2^34 is the first in a quad whose number exceeds 32 bits.
constexpr std::uint64_t many_words = std::uint64_t{1} << 34;

constexpr TableOptions compact{Arithmetic::fixed_point, Layout::compact_rows, 0};

/// A table in device memory, and its copy in host memory.
struct Tables {
  std::unique_ptr<GpuAliasTable> built;
  HostTable host;

  [[nodiscard]] const DeviceTable& device() const { return built->table(); }
};
Tables tables_of(
    const std::vector<double>& weights,
    std::unique_ptr<GpuAliasTable> built = std::make_unique<AliasTableMergeGpu>(compact)) {
  Tables made{std::move(built), {}};
  made.built->build(weights);
  made.host = made.built->to_host();
  return made;
}

/// A number of rows that fits in the shared memory of a block: `wanted`, or fewer if the device has
/// less.
Index rows_in_a_block(Index wanted) {
  const auto bytes =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return std::min(wanted, static_cast<Index>(bytes / sizeof(CompactRow) - 300));
}

/// As above, for two sections at a time.
Index rows_in_a_section(Index wanted) { return rows_in_a_block(2 * wanted) / 2; }

template <class T>
std::vector<T> on_host(const T* device, std::size_t count) {
  std::vector<T> host(count);
  copy_to_host(device, std::span(host));
  return host;
}

struct Generator {
  GpuGenerator generator;
  int rounds;
};
constexpr Generator generators[] = {{GpuGenerator::philox, 10}, {GpuGenerator::philox7, 7}};

std::vector<Index> direct_on_host(const HostTable& table, std::size_t count, RandomState state,
                                  int rounds = 10) {
  std::vector<Index> samples(count);
  DirectSampler(0, rounds).sample(table, samples, state);
  return samples;
}

/// The samplers in random order that support the table.
std::vector<std::unique_ptr<GpuSampler>> unordered_samplers(const DeviceTable& table,
                                                            const GpuSamplerOptions& options) {
  std::vector<std::unique_ptr<GpuSampler>> all;
  for (const char* name : {"direct", "direct_packed", "direct_short", "small_table"}) {
    auto sampler = find_gpu_sampler(name).make(options);
    if (sampler->refusal(table).empty()) all.push_back(std::move(sampler));
  }
  return all;
}

TEST_F(GpuFastSampling, AnyNumberOfRowsAndSamples) {
  for (const Index n : {1U, 2U, 3U, 5U, 255U, 256U, 257U, 16'383U, 16'384U, 16'385U, 28'000U,
                        65'536U, 1'000'003U}) {
    const Tables tables = tables_of(power_law(n));
    for (const auto& [generator, rounds] : generators) {
      const auto samplers = unordered_samplers(tables.device(), {.generator = generator});
      EXPECT_EQ(samplers.size(), rows_in_a_block(n) == n ? 4U : 3U) << n;
      for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 31U, 4097U, 300'001U}) {
        const std::vector<Index> expected = direct_on_host(tables.host, count, {n, 12}, rounds);
        for (const auto& sampler : samplers) {
          ASSERT_EQ(drawn(*sampler, tables.device(), count, {n, 12}), expected)
              << n << " rows, " << count << " samples, " << rounds << " rounds";
        }
      }
    }
  }
}

// Quads that are aligned in memory, unaligned, and truncated at either end.
TEST_F(GpuFastSampling, AnyOffsetAndAlignment) {
  const Tables tables = tables_of(power_law(10'007));
  const auto samplers = unordered_samplers(tables.device(), {});
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, many_words - 50'001,
        many_words - 4, last_word - 50'000, last_word}) {
    for (const std::size_t start : {0U, 1U, 2U, 3U, 4U, 60U, 127U}) {
      for (const std::size_t count : {1U, 2U, 3U, 7U, 100'000U}) {
        const RandomState state{77, offset};
        const std::vector<Index> expected = direct_on_host(tables.host, count, state);
        for (const auto& sampler : samplers) {
          ASSERT_EQ(drawn(*sampler, tables.device(), count, state, start), expected)
              << "offset " << offset << ", start " << start << ", " << count << " samples";
        }
      }
    }
  }
}

TEST_F(GpuFastSampling, AnyLaunchShape) {
  const Tables tables = tables_of(power_law(10'007));
  for (const std::size_t count : {5U, 100'003U}) {
    const std::vector<Index> expected = direct_on_host(tables.host, count, {5, 6});
    const std::vector<Index> by_sections = sectioned_on_host(tables.host, 1000, count, {5, 6}, 10);
    for (const unsigned blocks : {0U, 1U, 2U, 13U, 997U}) {
      for (const unsigned threads : {0U, 32U, 96U, 1024U}) {
        const GpuSamplerOptions shape{.blocks = blocks, .block_threads = threads};
        SCOPED_TRACE(std::to_string(blocks) + " blocks of " + std::to_string(threads));
        for (const auto& sampler : unordered_samplers(tables.device(), shape)) {
          ASSERT_EQ(drawn(*sampler, tables.device(), count, {5, 6}), expected);
        }
        GpuSamplerOptions sections = shape;
        sections.section_rows = 1000;
        ASSERT_EQ(
            drawn(*find_gpu_sampler("sectioned").make(sections), tables.device(), count, {5, 6}),
            by_sections);
      }
    }
  }
}

// So many samples per block that some remain for the blocks that finish first, which draw them out
// of order.
TEST_F(GpuFastSampling, BlocksThatAreDoneDrawWhatIsLeft) {
  constexpr std::size_t count = 2'000'011;
  const Tables tables = tables_of(power_law(10'007));
  const std::vector<Index> expected = sectioned_on_host(tables.host, 1000, count, {5, 6}, 10);
  for (const unsigned blocks : {1U, 2U, 7U}) {
    const auto sampler =
        find_gpu_sampler("sectioned").make({.section_rows = 1000, .blocks = blocks});
    EXPECT_EQ(drawn(*sampler, tables.device(), count, {5, 6}), expected) << blocks << " blocks";
  }
}

// Shuffled sections: the same samples in an order in which successive samples are independent,
// across the whole output, too; without shuffling they are not.
TEST_F(GpuFastSampling, RandomOrderOfSections) {
  const std::vector<double> weights = power_law(10'007);
  const Tables tables = tables_of(weights);
  const std::vector<double> p = verification::expected_probabilities(weights);
  for (const char* name : {"sectioned", "shared_memory"}) {
    const GpuSamplerOptions options{.section_rows = 500};
    const auto plain = find_gpu_sampler(name).make(options);
    const RandomOrderGpuSampler shuffled(find_gpu_sampler(name).make(options));
    for (const std::size_t count : {1U, 2U, 31U, 1'000'000U}) {
      const RandomState state{3, count};
      const std::vector<Index> grouped = drawn(*plain, tables.device(), count, state);
      const std::vector<Index> samples = drawn(shuffled, tables.device(), count, state);
      const auto order = shuffle::lazy_permutation(count, RandomOrderGpuSampler::order_seed(state));
      for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(samples[k], grouped[order(k)]) << k;
      EXPECT_EQ(counted(shuffled, tables.device(), count, state),
                counted(*plain, tables.device(), count, state));
      if (count < 1'000'000) continue;
      const double level = verification::suite_budget.level();
      EXPECT_EQ(verification::failures(verification::test_samples(samples, weights), level), "");
      for (const std::uint64_t lag : {1U, 2U, 32U, 1000U}) {
        const verification::PairOptions pairs{.lag = lag, .minimum_expected = 20};
        EXPECT_TRUE(verification::pair_independence(samples, p, pairs).passes(level)) << lag;
        EXPECT_FALSE(verification::pair_independence(grouped, p, pairs).passes(level)) << lag;
      }
    }
  }
}

// Complete blocks and a partial one, with few or many blocks buffered outside the output.
TEST_F(GpuFastSampling, AnyBlocksOfSamples) {
  using Sizes = std::vector<Index>;
  const Index max_rows = rows_in_a_block(28'000);
  for (const Index n : verification::all_or_few<Sizes>({1, 2, 999, 1000, 1001, 20'003}, {2003})) {
    const Tables tables = tables_of(power_law(n));
    for (const Index section_rows :
         verification::all_or_few<Sizes>({1, 7, 1000, max_rows}, {7, max_rows})) {
      for (const Index samples : verification::all_or_few<Sizes>({4, 64, 5000, 8192}, {64, 5000})) {
        if (samples == 4 && n / section_rows > 2000) continue;  // too slow on the host
        for (const auto& [generator, rounds] : generators) {
          for (const RandomState state : {RandomState{1, 0}, RandomState{2, many_words - 9'999}}) {
            for (const std::size_t count : {1U, 3U, 16'384U, 20'001U}) {
              const std::vector<Index> expected = drawn_in_blocks_on_host(
                  tables.host, {section_rows, samples, 1}, count, state, rounds);
              SCOPED_TRACE(std::to_string(n) + " rows in sections of " +
                           std::to_string(section_rows) + ", " + std::to_string(count) +
                           " samples in blocks of " + std::to_string(samples) + ", " +
                           std::to_string(rounds) + " rounds");
              for (const Index buffered : {1U, 3U, 10'000U}) {
                const DirectSectionedGpuSampler sampler(
                    {.generator = generator}, SampleBlocks{section_rows, samples, buffered});
                ASSERT_EQ(drawn(sampler, tables.device(), count, state, buffered % 2), expected)
                    << buffered << " buffered blocks";
                if (buffered > 1) continue;
                EXPECT_EQ(counted(sampler, tables.device(), count, state),
                          verification::count_samples(expected, n));
              }
            }
          }
        }
      }
    }
  }
}

// Complete blocks of the smallest size that the sampler chooses itself, and so many samples that
// some words lie in a different section than the smallest word with the same high half.
TEST_F(GpuFastSampling, LargeBlocksAndTiesBetweenSections) {
  constexpr std::size_t count = 4'000'003;
  constexpr Index n = 30'001;
  constexpr SampleBlocks cut{2, 1U << 18, 3};
  constexpr RandomState state{1, 0};
  const random::SplitWords<10> count_words(
      random::philox_word(state.seed, state.offset, random::sections_subsequence));
  std::size_t ties = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t word = count_words.word(k);
    const Index minimum = first_choice(static_cast<std::uint32_t>(word >> 32), n).row;
    ties += minimum / cut.section_rows != choose_row(word, n).row / cut.section_rows ? 1 : 0;
  }
  EXPECT_GT(ties, 5U);
  const Tables tables = tables_of(power_law(n));
  const std::vector<Index> expected = drawn_in_blocks_on_host(tables.host, cut, count, state, 10);
  for (const unsigned threads : {0U, 96U}) {
    const DirectSectionedGpuSampler sampler({.block_threads = threads}, cut);
    EXPECT_TRUE(drawn(sampler, tables.device(), count, state) == expected) << threads;
  }
}

// The samples of different sections are mixed, within a block and from block to block.
TEST_F(GpuFastSampling, BlocksAreInRandomOrder) {
  const std::vector<double> weights = power_law(10'007);
  const Tables tables = tables_of(weights);
  const std::vector<double> p = verification::expected_probabilities(weights);
  const double level = verification::suite_budget.level();
  const DirectSectionedGpuSampler sampler({}, SampleBlocks{500, 16'000, 3});
  const std::vector<Index> samples = drawn(sampler, tables.device(), 1'000'000, {3, 4});
  EXPECT_EQ(verification::failures(verification::test_samples(samples, weights), level), "");
  for (const std::uint64_t lag : {1U, 2U, 32U, 1000U, 16'000U}) {
    const verification::PairOptions pairs{.lag = lag, .minimum_expected = 20};
    EXPECT_TRUE(verification::pair_independence(samples, p, pairs).passes(level)) << lag;
  }
}

TEST_F(GpuFastSampling, AnySection) {
  using Sizes = std::vector<Index>;
  const Index max_rows = rows_in_a_section(14'000);
  for (const Index n : verification::all_or_few<Sizes>(
           {1, 2, 999, 1000, 1001, 1999, 2000, 2001, 50'003}, {1, 2001, 50'003})) {
    const Tables tables = tables_of(power_law(n));
    for (const Index rows :
         verification::all_or_few<Sizes>({1, 2, 7, 999, 1000, max_rows}, {7, 1000, max_rows})) {
      if (n / rows > 2000) continue;  // too slow on the host
      for (const auto& [generator, rounds] : generators) {
        for (const RandomState state : {RandomState{1, 0}, RandomState{2, many_words - 9'999}}) {
          for (const std::size_t start : verification::all_or_few<Sizes>({0, 1}, {1})) {
            const auto sampler =
                find_gpu_sampler("sectioned").make({.generator = generator, .section_rows = rows});
            ASSERT_EQ(drawn(*sampler, tables.device(), 20'001, state, start),
                      sectioned_on_host(tables.host, rows, 20'001, state, rounds))
                << n << " rows in sections of " << rows << ", " << rounds << " rounds";
          }
        }
      }
    }
  }
}

// So many sections that each thread searches for a border by itself.
TEST_F(GpuFastSampling, ManySections) {
  const Tables tables = tables_of(power_law(40'000));
  constexpr std::size_t count = 200'000;
  EXPECT_EQ(drawn(*find_gpu_sampler("sectioned").make({.section_rows = 1}), tables.device(), count,
                  {7, 8}),
            sectioned_on_host(tables.host, 1, count, {7, 8}, 10));
}

// The second kernel of a draw is a programmatic dependent launch, also in a graph, and frees pool
// memory.
TEST_F(GpuFastSampling, SectionsAreCapturedInAGraph) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  constexpr std::size_t count = 600'011;
  constexpr RandomState state{9, 10};
  const Tables tables = tables_of(power_law(20'003));
  const auto sampler = find_gpu_sampler("sectioned").make({.section_rows = 1000});
  DeviceBuffer<Index> out(count);
  DeviceBuffer<std::uint64_t> counts(tables.host.size());
  const Graph graph([&](cudaStream_t stream) {
    WRSGPU_CUDA_CHECK(
        cudaMemsetAsync(counts.data(), 0, counts.size() * sizeof(std::uint64_t), stream));
    sampler->sample(tables.device(), out.span(), state, stream);
    sampler->count(tables.device(), count, counts.span(), state, stream);
  });
  const std::vector<Index> expected = sectioned_on_host(tables.host, 1000, count, state, 10);
  for (int replay = 0; replay < 3; ++replay) {
    WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0, count * sizeof(Index)));
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
    EXPECT_EQ(on_host(std::as_const(out).data(), count), expected) << replay;
    EXPECT_EQ(on_host(std::as_const(counts).data(), counts.size()),
              verification::count_samples(expected, tables.host.size()))
        << replay;
  }
}

// So many samples that threads draw several quads at a time (unless brief), with many ties.
TEST_F(GpuFastSampling, ManySamples) {
  const std::size_t count = verification::is_brief() ? 4'000'003 : 40'000'003;
  const Index section_rows = rows_in_a_section(14'000);
  constexpr RandomState state{11, 0};
  const Tables tables = tables_of(uniform_weights(1'000'003, 12));
  const random::SplitWords<10> words(state.seed);
  std::size_t ties = 0;
  for (std::uint64_t k = 0; k < 4'000'000; ++k) {
    const FirstChoice minimum =
        first_choice(static_cast<std::uint32_t>(words.word(k) >> 32), section_rows);
    ties += may_tie(until_change(minimum.variate, 0x8000'0000), section_rows) ? 1 : 0;
  }
  EXPECT_GT(ties, 5U) << "of 4 * 10^6 samples of a section";
  EXPECT_TRUE(drawn(*find_gpu_sampler("sectioned").make({.section_rows = section_rows}),
                    tables.device(), count,
                    state) == sectioned_on_host(tables.host, section_rows, count, state, 10));
  const std::vector<Index> expected = direct_on_host(tables.host, count, state);
  for (const auto& sampler : unordered_samplers(tables.device(), {})) {
    EXPECT_TRUE(drawn(*sampler, tables.device(), count, state) == expected);
  }
}

TEST_F(GpuFastSampling, HistogramsCountTheSamples) {
  const Tables tables = tables_of(power_law(20'011));
  for (const auto& [generator, rounds] : generators) {
    for (const std::uint64_t offset : {0U, 3U}) {
      const RandomState state{3, offset};
      const verification::Counts expected = verification::count_samples(
          direct_on_host(tables.host, 100'001, state, rounds), tables.host.size());
      for (const auto& sampler : unordered_samplers(tables.device(), {.generator = generator})) {
        EXPECT_EQ(counted(*sampler, tables.device(), 100'001, state), expected);
      }
      const auto sectioned =
          find_gpu_sampler("sectioned").make({.generator = generator, .section_rows = 3000});
      EXPECT_EQ(
          counted(*sectioned, tables.device(), 100'001, state),
          verification::count_samples(sectioned_on_host(tables.host, 3000, 100'001, state, rounds),
                                      tables.host.size()));
    }
  }
}

// With 20 bits for the alias, 12 remain for the threshold, and one sample in 4096 is a tie; with 17
// bits, one in 32,768; with 1 bit, hardly any.
TEST_F(GpuFastSampling, PackedRowsDecideTiesByTheWholeThreshold) {
  const std::size_t count = verification::is_brief() ? 1'000'000 : 10'000'000;
  for (const Index n : {2U, 100'003U, 1'000'000U, 1'048'576U, 1'048'577U, 10'000'000U}) {
    const Tables tables = tables_of(uniform_weights(n, 13));
    const auto sampler = find_gpu_sampler("direct_packed").make({});
    EXPECT_TRUE(drawn(*sampler, tables.device(), count, {14, 0}) ==
                direct_on_host(tables.host, count, {14, 0}))
        << n << " rows";
  }
}

// One sample in 32 is a tie. Complete and partial sections; tables whose aliases lie in the section
// or are common to it, and tables with aliases anywhere.
TEST_F(GpuFastSampling, Rows16FallBackWhereTheyCannotDecide) {
  using Sizes = std::vector<Index>;
  for (const Index n : verification::all_or_few<Sizes>(
           {1, 2, 2047, 2048, 2049, 4097, 100'003, 10'000'000}, {2, 2049, 100'003})) {
    const std::size_t count = std::max<std::size_t>(n, 1'000'000);
    for (const bool is_skewed : {false, true}) {
      const std::vector<double> weights = is_skewed ? power_law(n) : uniform_weights(n, 20);
      for (const bool is_exact : {false, true}) {
        SCOPED_TRACE(std::to_string(n) + (is_skewed ? " skewed" : " uniform") + " items by " +
                     (is_exact ? "gpu_merge" : "splits"));
        Tables tables = is_exact ? tables_of(weights)
                                 : tables_of(weights, std::make_unique<AliasTableSplitGpu>(
                                                          compact, SplitGpuOptions{}));
        const HostRows16 packed = rows16_on_host(tables.host);
        Rows16 kept(tables.device());
        kept.pack(nullptr);
        EXPECT_TRUE(on_host(kept.view().packed, n) == packed.packed);
        EXPECT_TRUE(on_host(kept.view().common, packed.common.size()) == packed.common);
        const Row16Shares shares = shares_of(packed);
        if (n > 100'000 && is_skewed) {
          EXPECT_GT(shares.common, 0.1);
          EXPECT_TRUE(is_exact ? shares.escape < 0.1 : shares.escape > 0.3) << shares.escape;
        }
        const auto sampler = find_gpu_sampler("direct_short").make({});
        EXPECT_TRUE(drawn(*sampler, tables.device(), count, {21, 0}) ==
                    direct_on_host(tables.host, count, {21, 0}));
      }
    }
  }
}

/// Samplers that draw from packed rows, whether packed for each draw or cached, must use the
/// current rows of the table.
template <class Sampler>
void expect_rows_of_the_table_as_it_is() {
  constexpr std::size_t count = 100'000;
  Tables tables = tables_of(uniform_weights(50'000, 15));
  const Sampler sampler;
  typename Sampler::Rows kept(tables.device());
  const std::string owner =
      std::is_same_v<Sampler, DirectShortGpuSampler> ? "ShortRows" : "PackedRows";
  EXPECT_THROW(static_cast<void>(kept.view()), Error);
  DeviceBuffer<Index> out(count);
  const auto draw_from_kept = [&](std::uint64_t samples) {
    sampler.draw_packed(kept.view(), ToSamples{out.data()}, samples, {16, 0}, nullptr);
  };
  for (const std::uint64_t seed : {17U, 18U}) {
    tables.built->build(uniform_weights(50'000, seed));  // in the same memory
    kept.pack(nullptr);
    const std::vector<Index> expected = direct_on_host(tables.built->to_host(), count, {16, 0});
    EXPECT_EQ(drawn(sampler, tables.device(), count, {16, 0}), expected);
    draw_from_kept(count);
    EXPECT_EQ(on_host(std::as_const(out).data(), count), expected);
  }
  EXPECT_NO_THROW(draw_from_kept(0));
  tables.built->build(uniform_weights(50'001, 19));
  EXPECT_EQ(
      error_of([&] { kept.pack(nullptr); }),
      owner + ": the table has 50001 rows now, there is memory for 50000; make new ones of it");
  EXPECT_THROW(static_cast<void>(kept.view()), Error);
  // After a table that needed more memory.
  tables.built->build(uniform_weights(50'000, 19));
  kept.pack(nullptr);
  EXPECT_EQ(error_of([&] { draw_from_kept(1); }), "no error");
  tables.built->build(uniform_weights(100'000, 19));
  tables.built->build(uniform_weights(50'000, 19));
  EXPECT_EQ(error_of([&] { draw_from_kept(1); }),
            owner + ": the table has been built anew; call pack() first");
}
TEST_F(GpuFastSampling, PackedRowsAreThoseOfTheTableAsItIs) {
  expect_rows_of_the_table_as_it_is<DirectPackedGpuSampler>();
}
TEST_F(GpuFastSampling, Rows16AreThoseOfTheTableAsItIs) {
  expect_rows_of_the_table_as_it_is<DirectShortGpuSampler>();
}

/// A construction. Aliases lie anywhere with splits, in the tile or far from it with the merge, and
/// in the tile or next to received items with warp-parallel pairing.
struct Construction {
  const char* name;
  std::unique_ptr<GpuAliasTable> (*make)();
};
std::ostream& operator<<(std::ostream& out, const Construction& one) { return out << one.name; }
template <TableForm form>
std::unique_ptr<GpuAliasTable> exact_table() {
  return std::make_unique<AliasTableMergeGpu>(compact, form);
}
std::unique_ptr<GpuAliasTable> split_table() {
  return std::make_unique<AliasTableSplitGpu>(compact, SplitGpuOptions{});
}
const Construction constructions[] = {{"split", split_table},
                                      {"merged", exact_table<TableForm::merge_path>},
                                      {"swept", exact_table<TableForm::warp_parallel>}};

// Otherwise the two exact forms would give the same table.
TEST(ManySamples, HaveWeightsThatLanesSweep) {
  for (const Index items : {20'011U, 1'000'003U}) {
    const std::vector<float> weights = weights_with_zeros(items);
    TiledSweep merged(compact, TableForm::merge_path);
    TiledSweep swept(compact, TableForm::warp_parallel);
    merged.build(weights);
    swept.build(weights);
    EXPECT_NE(plain_rows(merged), plain_rows(swept)) << items;
  }
}

class GpuFastSamplingOfMany : public GpuTest, public testing::WithParamInterface<Construction> {
 protected:
  const DeviceTable& table_of(Index items) {
    weights_ = weights_with_zeros(items);
    table_ = GetParam().make();
    table_->build(weights_);
    return table_->table();
  }
  /// Checks the items that `draw_with(options)(out, state)` draws from the last table, with each
  /// generator.
  template <class DrawWith>
  void expect_items_with_weight_of(const std::string& name, const DrawWith& draw_with) {
    for (const auto& [generator, rounds] : generators) {
      SCOPED_TRACE(name + ", " + std::to_string(rounds) + " rounds");
      expect_items_with_weight(weights_, draw_with({.generator = generator}));
    }
  }
  template <class Sampler>
  void expect_items_with_weight_of_kept_rows(const std::string& name) {
    typename Sampler::Rows kept(table_of(1'000'003));
    kept.pack(nullptr);
    expect_items_with_weight_of(name, [&](const GpuSamplerOptions& options) {
      return [&kept, sampler = Sampler(options)](std::span<Index> out, RandomState state) {
        sampler.draw_packed(kept.view(), ToSamples{out.data()}, out.size(), state, nullptr);
      };
    });
  }

 private:
  std::vector<float> weights_;
  std::unique_ptr<GpuAliasTable> table_;
};

TEST_P(GpuFastSamplingOfMany, NoSampleOfManyIsOutOfRangeOrHasNoWeight) {
  for (const GpuSamplerInfo& info : gpu_samplers()) {
    if (!info.compact_rows_only) continue;
    const DeviceTable& table = table_of(info.name == "small_table" ? 20'011 : 1'000'003);
    expect_items_with_weight_of(info.name, [&](const GpuSamplerOptions& options) {
      return [&table, sampler = info.make(options)](std::span<Index> out, RandomState state) {
        sampler->sample(table, out, state, nullptr);
      };
    });
  }
  expect_items_with_weight_of_kept_rows<DirectPackedGpuSampler>("kept packed rows");
  expect_items_with_weight_of_kept_rows<DirectShortGpuSampler>("kept short rows");
}
INSTANTIATE_TEST_SUITE_P(, GpuFastSamplingOfMany, testing::ValuesIn(constructions),
                         testing::PrintToStringParamName());

TEST_F(GpuFastSampling, RefusesWhatItCannotDraw) {
  const Tables tables = tables_of(power_law(50'000));
  AliasTableMergeGpu wide({Arithmetic::fixed_point, Layout::wide_rows, 0});
  wide.build(std::vector<double>{1, 2});
  DeviceBuffer<Index> out(1);
  const auto error = [&](const char* name, const GpuSamplerOptions& options,
                         const DeviceTable& table, std::size_t count = 1) {
    return error_of([&] {
      find_gpu_sampler(name).make(options)->sample(table, out.span().first(count), {}, nullptr);
    });
  };
  for (const char* name : {"direct", "direct_packed", "direct_short", "direct_sectioned",
                           "small_table", "sectioned"}) {
    EXPECT_EQ(error(name, {}, wide.table()),
              "sample: argument 'table': layout wide_rows has no integer thresholds; the sampler "
              "takes compact_rows");
    EXPECT_EQ(error(name, {.generator = GpuGenerator::xorwow}, tables.device()),
              "generator xorwow has no numbered words that can be drawn in halves; use philox or "
              "philox7");
    EXPECT_NE(error(name, {.block_threads = 33}, tables.device()), "no error");
    if (std::string_view(name) != "small_table") {  // for which this table is too large
      EXPECT_EQ(error(name, {}, tables.device(), 0), "no error");
    }
  }
  EXPECT_EQ(
      error_of([&] { const PackedRows rows(wide.table()); }),
      "PackedRows: layout wide_rows has no integer thresholds; the sampler takes compact_rows");
  EXPECT_EQ(
      error_of([&] { const Rows16 rows(wide.table()); }),
      "ShortRows: layout wide_rows has no integer thresholds; the sampler takes compact_rows");
  EXPECT_EQ(error("direct_sectioned", {.blocks = 5}, tables.device()),
            "argument 'blocks' is 5; this sampler derives the number of blocks from the sections");
  const DirectSectionedGpuSampler by_rows({}, SampleBlocks{1, 1000, 1});
  EXPECT_EQ(by_rows.refusal(tables_of(power_law(10'000)).device()), "");
  const Tables larger = tables_of(power_law(70'000));
  const std::string too_many = by_rows.refusal(larger.device());
  EXPECT_NE(too_many.find("each of its sections takes 280000 bytes"), std::string::npos)
      << too_many;
  const auto refusal = [&](const SampleBlocks& blocks) {
    return DirectSectionedGpuSampler({}, blocks).refusal(tables.device());
  };
  EXPECT_NE(refusal({40'000, 1000, 1}).find("a section takes"), std::string::npos);
  const auto bad = [](const SampleBlocks& blocks) {
    return error_of([&] { static_cast<void>(DirectSectionedGpuSampler({}, blocks)); });
  };
  EXPECT_EQ(
      bad({1000, 1001, 1}),
      "argument 'blocks': samples is 1001; it must be a positive multiple of 4, at most 2^31");
  EXPECT_EQ(bad({1000, 0, 1}),
            "argument 'blocks': samples is 0; it must be a positive multiple of 4, at most 2^31");
  EXPECT_EQ(
      bad({1000, (1U << 31) + 4, 1}),
      "argument 'blocks': samples is 2147483652; it must be a positive multiple of 4, at most "
      "2^31");
  EXPECT_EQ(bad({1000, 1U << 31, 1}), "no error");
  EXPECT_EQ(bad({0, 1000, 1}),
            "argument 'blocks': section_rows and buffered_blocks must be positive");
  EXPECT_EQ(bad({1000, 1000, 0}),
            "argument 'blocks': section_rows and buffered_blocks must be positive");
  const std::string too_large = error("small_table", {}, tables.device());
  EXPECT_NE(too_large.find("50000 rows"), std::string::npos) << too_large;
  const std::string too_long = error("sectioned", {.section_rows = 40'000}, tables.device());
  EXPECT_NE(too_long.find("40000 rows"), std::string::npos) << too_long;
  // What it says then it takes, whether a section would have had all rows or not.
  for (const Index rows : {40'000U, 50'000U}) {
    const std::string refused = error("sectioned", {.section_rows = rows}, tables.device());
    const std::string maximum = refused.substr(refused.rfind(' ') + 1);
    const auto advised = static_cast<Index>(std::stoul(maximum));
    EXPECT_EQ(error("sectioned", {.section_rows = advised}, tables.device()), "no error")
        << refused;
    EXPECT_NE(error("sectioned", {.section_rows = advised + 2}, tables.device()), "no error");
    const GpuSamplerOptions options{.generator = GpuGenerator::philox7, .section_rows = rows};
    EXPECT_EQ(AutoGpuSampler(options).refusal(tables.device()),
              SectionedGpuSampler(options).refusal(tables.device()));
    EXPECT_EQ(error("auto", options, tables.device()), refused);
  }
}

}  // namespace
}  // namespace wrsgpu
