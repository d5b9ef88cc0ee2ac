// Properties of tables on the GPU only; the construction suite tests that every GPU method is
// correct for every input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "construction/alias_table_merge_gpu.cuh"
#include "construction/alias_table_split_gpu.cuh"
#include "cpu_reference/direct_sampler.hpp"
#include "cpu_reference/sweep.hpp"
#include "gpu_construction_cases.cuh"
#include "gpu_graph.cuh"
#include "gpu_reconstruction.cuh"
#include "gpu_test.hpp"
#include "registry/methods.hpp"
#include "registry/verify.hpp"
#include "verification/brief.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/core/shared_memory.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu {
namespace {

using GpuConstruction = GpuTest;

/// Builds over rows with invalid content: new memory often holds the rows of the previous table,
/// which would be mistaken for rows that were written.
void build_over_garbage(GpuAliasTable& table, const std::vector<double>& host) {
  const DeviceBuffer<double> device = on_device(host);
  const WeightsView weights = WeightsView::on_device(device.span());
  table.reserve(static_cast<Index>(host.size()), weights.type());
  // Invalid own parts, and aliases that are not items.
  table.table().visit([&]<class Rows>(const Rows& rows) {
    const auto fill = [](auto* array, std::size_t count) {
      WRSGPU_CUDA_CHECK(cudaMemset(array, 0xEE, count * sizeof *array));
    };
    if constexpr (Rows::layout == Layout::struct_of_arrays) {
      fill(rows.weights(), rows.size());
      fill(rows.aliases(), rows.size());
    } else {
      fill(rows.data(), rows.size());
    }
  });
  table.construct(weights, nullptr);
  table.finish(weights, nullptr);
}

/// Uniform weights, some of them invalid.
std::vector<double> with_invalid_weights(Index n, const std::string& how) {
  std::vector<double> w = uniform_weights(n, 21);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    const bool half = random::philox_word(99, i) % 2 == 0;
    if (how == "two NaN" && (i == n / 3 || i == n / 2)) w[i] = nan;
    if (how == "all NaN") w[i] = nan;
    if (how == "half NaN" && half) w[i] = nan;
    if (how == "half infinite" && half) w[i] = infinity;
    if (how == "half negative" && half) w[i] *= -3;
    if (how == "too large a sum") w[i] = std::numeric_limits<double>::max();
    if (how == "all zero") w[i] = 0;
  }
  return w;
}

/// A table for each way to sum weights and to write rows, all in the same layout.
std::vector<std::unique_ptr<GpuAliasTable>> tables_of_each_kind() {
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};
  std::vector<std::unique_ptr<GpuAliasTable>> tables;
  tables.push_back(std::make_unique<AliasTableSplitGpu>(TableOptions{}, SplitGpuOptions{}));
  tables.push_back(std::make_unique<AliasTableSplitGpu>(fixed, SplitGpuOptions{}));
  tables.push_back(std::make_unique<AliasTableMergeGpu>(fixed, TableForm::merge_path));
  tables.push_back(std::make_unique<AliasTableMergeGpu>(fixed, TableForm::warp_parallel));
  return tables;
}
std::string kind_of(const GpuAliasTable& table) {
  const bool is_split = dynamic_cast<const AliasTableSplitGpu*>(&table) != nullptr;
  return std::string(to_string(table.arithmetic())) + (is_split ? ", split" : ", merge");
}

class GpuFixedPoint : public GpuTest,
                      public testing::WithParamInterface<std::tuple<Layout, Index>> {};

TEST_P(GpuFixedPoint, TableIsTheSweepsWhateverTheSections) {
  const auto [layout, section_items] = GetParam();
  const TableOptions options{Arithmetic::fixed_point, layout, 1};
  for (const Index n : verification::all_or_few(construction_sizes, {1000})) {
    for (const auto& weights : {uniform_weights(n, 6), power_law(n)}) {
      Sweep sweep(options);
      sweep.build(weights);
      SCOPED_TRACE(std::to_string(n) + " items");
      for (const pack::PackMethod& pack : pack::methods()) {
        for (const pack::ElementKind elements : pack.elements) {
          const SplitGpuOptions method{
              .pack = pack.name, .elements = elements, .section_items = section_items};
          const bool fits =
              pack::section_refusal(pack, elements, section_items, max_shared_bytes(0)).empty();
          if (!fits || pack.refuses_weights || pack.order != pack::Order::by_index ||
              !refusal(method, options).empty()) {
            continue;
          }
          SCOPED_TRACE(name_of(method));
          AliasTableSplitGpu gpu(options, method);
          build_over_garbage(gpu, weights);
          expect_same_rows(gpu.to_host(), sweep.table());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sections, GpuFixedPoint,
                         testing::Combine(testing::Values(Layout::wide_rows,
                                                          Layout::struct_of_arrays,
                                                          Layout::compact_rows),
                                          testing::Values(1U, 2U, 7U, 32U, 1000U)),
                         [](const auto& info) {
                           return std::string(to_string(std::get<0>(info.param))) + "_of_" +
                                  std::to_string(std::get<1>(info.param));
                         });

// In floating-point arithmetic, too: for so few items the scan has a single tile, so the order of
// its additions is fixed.
TEST_F(GpuConstruction, ReadableFormsWriteTheRowsOfTheOptimisedOnes) {
  for (const pack::PackMethod& readable : pack::methods()) {
    const std::size_t suffix = readable.name.find("_branched");
    if (suffix == std::string::npos) continue;
    const std::string optimised = readable.name.substr(0, suffix);
    for (const Index n : {2U, 32U, 1000U}) {
      std::vector<double> alternating(n);  // sections do not overlap
      for (Index i = 0; i < n; ++i) alternating[i] = i % 2 == 0 ? 1 : 3;
      std::vector<std::vector<double>> all{alternating};
      if (!readable.refuses_weights) all.insert(all.end(), {uniform_weights(n, 8), power_law(n)});
      for (const auto& weights : all) {
        for (const pack::ElementKind elements : readable.elements) {
          SCOPED_TRACE(readable.name + ", " + std::to_string(n) + " items");
          const auto rows = [&](const std::string& pack) {
            AliasTableSplitGpu gpu({}, {.pack = pack, .elements = elements});
            build_over_garbage(gpu, weights);
            return gpu.to_host();
          };
          expect_same_rows(rows(readable.name), rows(optimised));
        }
      }
    }
  }
}

TEST_F(GpuConstruction, TakesWeightsFromDeviceMemory) {
  const std::vector<double> host = uniform_weights(10'000, 7);
  const DeviceBuffer<double> device = on_device(host);
  const TableOptions options{Arithmetic::fixed_point, Layout::wide_rows, 0};
  AliasTableSplitGpu from_host(options, {});
  AliasTableSplitGpu from_device(options, {});
  from_host.build(host);
  from_device.build(WeightsView::on_device(device.span()));
  expect_same_rows(from_host.to_host(), from_device.to_host());
}

TEST_F(GpuConstruction, NamesInvalidWeightsInDeviceMemory) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error = [](std::vector<double> host) {
    const DeviceBuffer<double> device = on_device(host);
    AliasTableSplitGpu table({}, {});
    return error_of([&] { table.build(WeightsView::on_device(device.span())); });
  };
  EXPECT_EQ(error({1, 2, -3, 4}), "argument 'weights': weight 2 is negative (-3)");
  EXPECT_EQ(error({1, nan, -3, 4}), "argument 'weights': weight 1 is not a number (nan)");
  EXPECT_EQ(error({1, 2, 3, infinity}), "argument 'weights': weight 3 is infinite (inf)");
  EXPECT_EQ(error({0, 0, 0}), "argument 'weights': all 3 weights are zero");
  EXPECT_EQ(error({1e308, 1e308}),
            "argument 'weights': the sum of all 2 overflows double precision (the largest is "
            "1e+308)");
}

TEST_F(GpuConstruction, InvalidWeightsSurfaceInFinishAndDoNoHarm) {
  std::vector<double> host = uniform_weights(5000, 8);
  host[4321] = std::numeric_limits<double>::quiet_NaN();
  const DeviceBuffer<double> device = on_device(host);
  const WeightsView weights = WeightsView::on_device(device.span());
  AliasTableSplitGpu table({}, {});
  table.reserve(5000, weights.type());
  table.construct(weights, nullptr);
  EXPECT_EQ(error_of([&] { table.finish(weights, nullptr); }),
            "argument 'weights': weight 4321 is not a number (nan)");
  EXPECT_EQ(table.size(), 0U);
  host[4321] = 1;
  table.build(host);
  EXPECT_EQ(table.size(), 5000U);
}

TEST_F(GpuConstruction, FailedBuildLeavesTheTableAlone) {
  constexpr Index n = 1000;  // one tile of CUB's scan: floating-point rows are reproducible
  const std::vector<double> valid = uniform_weights(n, 9);
  for (const std::unique_ptr<GpuAliasTable>& table : tables_of_each_kind()) {
    const auto samples = [&] {
      std::vector<Index> out(1000);
      table->sample(out, {.seed = 5, .offset = 0});
      return out;
    };
    table->build(valid);
    const HostTable rows = table->to_host();
    const std::vector<Index> drawn = samples();
    for (const char* how : {"two NaN", "half negative", "too large a sum", "all zero"}) {
      for (const Index size : {n / 2, n, 100 * n}) {
        SCOPED_TRACE(kind_of(*table) + ", " + how + ", " + std::to_string(size) + " items");
        const std::vector<double> invalid = with_invalid_weights(size, how);
        EXPECT_THROW(table->build(invalid), Error);
        const DeviceBuffer<double> device = on_device(invalid);
        EXPECT_THROW(table->build(WeightsView::on_device(device.span())), Error);
        EXPECT_EQ(table->table().size(), n);
        expect_same_rows(table->to_host(), rows);
        EXPECT_EQ(samples(), drawn);
      }
    }
    table->build(valid);
    expect_same_rows(table->to_host(), rows);
  }
}

// Launched work may be unfinished, and memory that it uses must not be freed.
TEST_F(GpuConstruction, FailedBuildLeavesConstructionsOnStreamsAlone) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  constexpr Index n = 50'000;
  const std::vector<double> valid = uniform_weights(n, 9);
  const DeviceBuffer<double> device = on_device(valid);
  const WeightsView weights = WeightsView::on_device(device.span());
  const std::vector<double> invalid = with_invalid_weights(40 * n, "two NaN");
  for (const std::unique_ptr<GpuAliasTable>& table : tables_of_each_kind()) {
    SCOPED_TRACE(kind_of(*table));
    table->reserve(n, weights.type());
    const Graph graph([&](cudaStream_t stream) { table->construct(weights, stream); });
    table->construct(weights, nullptr);
    EXPECT_THROW(table->build(invalid), Error);
    table->finish(weights, nullptr);
    const auto launched = verification::verify(*table, valid);
    EXPECT_TRUE(launched.ok) << launched.message;
    EXPECT_THROW(table->build(invalid), Error);
    table->finish(weights, graph.launch());
    const auto replayed = verification::verify(*table, valid);
    EXPECT_TRUE(replayed.ok) << replayed.message;
    EXPECT_THROW(table->build(invalid), Error);
    table->construct(weights, nullptr);  // without another reservation
    table->finish(weights, nullptr);
  }
}

TEST_F(GpuConstruction, IsCapturedInAGraphAndReplayedWithOtherWeights) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  const Index n = 50'000;
  const TableOptions floating{Arithmetic::floating, Layout::wide_rows, 0};
  const TableOptions fixed{Arithmetic::fixed_point, Layout::compact_rows, 0};
  const std::vector<std::pair<TableOptions, SplitGpuOptions>> captured{
      {fixed, {}},
      {fixed, {.prefix_sums = PrefixSums::two_streams}},
      {floating, {.prefix_sums = PrefixSums::two_streams}},
      {fixed, {.interleaved_parts = 7}},
      {fixed, {.split = "parallel_inverse", .pack = "baseline"}},
      {fixed, {.psa_plus = true}},
      {floating, {.psa_plus = true}},
  };
  for (const auto& [options, method] : captured) {
    SCOPED_TRACE("case " + std::to_string(&options - &captured.front().first));
    DeviceBuffer<double> device(n);
    const WeightsView weights = WeightsView::on_device(std::as_const(device).span());
    AliasTableSplitGpu table(options, method);
    table.reserve(n, weights.type());
    const Graph graph([&](cudaStream_t stream) { table.construct(weights, stream); });
    for (const auto& host : {power_law(n), uniform_weights(n, 18), std::vector<double>(n, 2.5)}) {
      copy_to_device(std::span<const double>(host), device.data());
      table.finish(weights, graph.launch());
      const auto report = verification::verify(table, host);
      ASSERT_TRUE(report.ok) << report.message;
    }
  }
}

/// The kernels that a construction of `n` weights launches.
std::vector<LaunchedKernel> kernels_of(GpuAliasTable& table, Index n = 10'000) {
  const DeviceBuffer<double> device(n);
  const WeightsView weights = WeightsView::on_device(device.span());
  table.reserve(n, weights.type());
  return Graph([&](cudaStream_t stream) { table.construct(weights, stream); }).kernels();
}
std::vector<LaunchedKernel> kernels_of(const TableOptions& options, const SplitGpuOptions& method) {
  AliasTableSplitGpu table(options, method);
  return kernels_of(table);
}

// `build` launches the same kernels as `construct`, but for a single tile.
TEST_F(GpuConstruction, ChecksAndSumsTheWeightsInOnePass) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  // A single tile; tiles balanced by a single block, and by several.
  for (const Index n : {1'000U, 10'000U, 5'000'003U}) {
    const std::vector<std::unique_ptr<GpuAliasTable>> tables = tables_of_each_kind();
    for (const std::unique_ptr<GpuAliasTable>& table : tables) {
      SCOPED_TRACE(kind_of(*table) + ", " + std::to_string(n) + " items");
      const std::vector<LaunchedKernel> kernels = kernels_of(*table, n);
      const auto launches = [&](const char* name) {
        return std::count_if(kernels.begin(), kernels.end(), [&](const LaunchedKernel& kernel) {
          return kernel.name.find(name) != std::string::npos;
        });
      };
      const bool is_fixed = table->arithmetic() == Arithmetic::fixed_point;
      const bool is_merge = dynamic_cast<const AliasTableMergeGpu*>(table.get()) != nullptr;
      const bool is_warp_parallel = table == tables.back();
      const bool is_single = is_merge && !is_warp_parallel && n <= mass_tile_items;
      EXPECT_EQ(launches("build_single_tile"), is_single ? 1 : 0);
      EXPECT_EQ(launches("sum_tiles"), is_fixed && !is_single ? 1 : 0);
      EXPECT_EQ(launches("finish_and_balance_tiles"), is_fixed && !is_single ? 1 : 0);
      EXPECT_EQ(launches("finish_summary"), is_fixed ? 0 : 1);
      EXPECT_EQ(launches("write_tile_masses"), is_fixed && !is_merge ? 1 : 0);
      // Sums, their balance, rows, and the remaining rows.
      if (is_merge) EXPECT_EQ(kernels.size(), is_single ? 1U : 4U);
    }
  }
}

// Launch parameters that do not affect the table: the share of a multiprocessor's memory that the
// pack kernel requests as shared memory (thesis 4.8.5), and the instance of the chunked kernel
// (report 4.2).
TEST_F(GpuConstruction, PackKernelsAreLaunchedAsAskedFor) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  for (const pack::PackMethod& pack : pack::methods()) {
    for (const auto& [cache, carveout] :
         {std::pair{Cache::prefer_l1, cudaSharedmemCarveoutMaxL1},
          std::pair{Cache::prefer_shared, cudaSharedmemCarveoutMaxShared},
          std::pair{Cache::no_preference, cudaSharedmemCarveoutDefault}}) {
      SCOPED_TRACE(pack.name + ", carveout " + std::to_string(carveout));
      int asked = 0;
      for (const LaunchedKernel& kernel :
           kernels_of({}, {.pack = pack.name, .elements = pack.elements.front(), .cache = cache})) {
        if (kernel.name.find("wrsgpu4pack") == std::string::npos) continue;
        const int preferred = kernel.attributes.preferredShmemCarveout;
        if (preferred == cudaSharedmemCarveoutDefault && carveout != preferred) continue;
        EXPECT_EQ(preferred, carveout) << kernel.name;
        ++asked;
      }
      EXPECT_GT(asked, 0);
    }
  }
  for (const auto& [name, shape] :
       {std::pair{"chunked", "ShapeILi32ELj16ELj5ELb0ELb0E"},
        std::pair{"chunked_half", "ShapeILi32ELj16ELj7ELb0ELb0E"},
        std::pair{"chunked_async", "ShapeILi32ELj16ELj5ELb1ELb0E"},
        std::pair{"chunked_half_async", "ShapeILi32ELj16ELj7ELb1ELb0E"},
        std::pair{"chunked_tuned", "ShapeILi8ELj32ELj11ELb0ELb0E"},
        std::pair{"chunked_tuned_async", "ShapeILi8ELj32ELj11ELb1ELb0E"},
        std::pair{"chunked_tuned_reuse", "ShapeILi8ELj32ELj11ELb0ELb1E"}}) {
    bool is_launched = false;
    for (const LaunchedKernel& kernel : kernels_of({}, {.pack = name})) {
      is_launched |= kernel.name.find(shape) != std::string::npos;
    }
    EXPECT_TRUE(is_launched) << name;
  }
}

TEST_F(GpuConstruction, TablesDrawTheSamplesOfTheHost) {
  AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0});
  table.build(uniform_weights(10'007, 15));
  for (const std::uint64_t offset : {0ULL, 3ULL, (1ULL << 34) - 2}) {
    std::vector<Index> samples(4099);
    table.sample(samples, {7, offset});
    std::vector<Index> expected(samples.size());
    DirectSampler(1).sample(table.to_host(), expected, {7, offset});
    EXPECT_EQ(samples, expected) << offset;
  }
}

TEST_F(GpuConstruction, TableInSharedMemoryRefusesOverlappingSections) {
  AliasTableSplitGpu table({}, {.pack = "table_in_shared_memory"});
  table.build(std::vector<double>(10'000, 1.0));
  EXPECT_EQ(table.size(), 10'000U);
  const std::string error = error_of([&] { table.build(uniform_weights(10'000, 14)); });
  EXPECT_NE(error.find("sections overlap"), std::string::npos) << error;
  EXPECT_NE(error.find("choose another pack method"), std::string::npos) << error;
  EXPECT_EQ(table.size(), 0U);
  std::vector<Index> out(3, 77);
  EXPECT_THROW(table.sample(out, {1, 0}), Error);
  EXPECT_EQ(out, std::vector<Index>(3, 77));
  EXPECT_THROW(static_cast<void>(table.to_host()), Error);
}

// Rejected before any allocation or launch.
TEST_F(GpuConstruction, RefusesSectionsThatDoNotFitWhenItReserves) {
  const auto error = [](const SplitGpuOptions& method, Index n) {
    AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, method);
    return error_of([&] { table.reserve(n, WeightsView::Type::float64); });
  };
  const std::string too_large = " items are too large for pack method ";
  const auto expect_refused = [&](const SplitGpuOptions& method, Index n, Index section_items) {
    const std::string expected =
        "sections of " + std::to_string(section_items) + too_large + method.pack;
    EXPECT_EQ(error(method, n).substr(0, expected.size()), expected);
  };
  expect_refused({.pack = "shared_memory", .section_items = 1'000'000}, 1000, 1'000'000);
  expect_refused({.pack = "shared_memory", .section_items = 1'000'000, .interleaved_parts = 2},
                 1000, 1'000'000);
  expect_refused({.pack = "table_in_shared_memory", .section_items = 33}, 1000, 33);
  // At most 1,024 sections, whose size grows with the number of items.
  expect_refused({.split = "inverse", .pack = "shared_memory"}, 10'000'000, 9766);
}

TEST_F(GpuConstruction, RefusedReservationLeavesTheTableAlone) {
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {.split = "inverse"});
  table.build(uniform_weights(1000, 15));
  const HostTable before = table.to_host();
  EXPECT_THROW(table.reserve(10'000'000, WeightsView::Type::float64), Error);
  expect_same_rows(table.to_host(), before);
}

// Thesis 4.8: none of these changes the table.
TEST_F(GpuConstruction, VariationsBuildTheSameTable) {
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 1};
  for (const Index n : construction_sizes) {
    const std::vector<double> weights = power_law(n);
    Sweep sweep(fixed);
    sweep.build(weights);
    std::vector<SplitGpuOptions> variations{
        {.prefix_sums = PrefixSums::one_by_one},
        {.prefix_sums = PrefixSums::two_streams},
        {.section_items = 3, .interleaved_parts = 10},
        {.pack = "chunked", .section_items = 3, .interleaved_parts = 3},
        {.pack = "baseline", .section_items = 3, .interleaved_parts = 10},
        {.split = "inverse", .pack = "baseline", .interleaved_parts = 4},
        {.cache = Cache::prefer_l1},
        {.pack = "chunked", .cache = Cache::prefer_shared},
    };
    for (const partition::PartitionMethod& method : partition::methods()) {
      variations.push_back({.partition = method.name});
      variations.push_back({.elements = pack::ElementKind::index, .partition = method.name});
    }
    for (const SplitGpuOptions& variation : variations) {
      SCOPED_TRACE(std::to_string(n) + " items, variation " +
                   std::to_string(&variation - variations.data()));
      AliasTableSplitGpu gpu(fixed, variation);
      build_over_garbage(gpu, weights);
      expect_same_rows(gpu.to_host(), sweep.table());
    }
    for (const SplitGpuOptions& variation :
         {SplitGpuOptions{.narrow_stores = true},
          SplitGpuOptions{.prefix_sums = PrefixSums::one_by_one},
          SplitGpuOptions{.prefix_sums = PrefixSums::two_streams},
          SplitGpuOptions{.cache = Cache::prefer_l1}}) {
      AliasTableSplitGpu floating({}, variation);
      build_over_garbage(floating, weights);
      const auto report = verification::verify(floating, weights);
      EXPECT_TRUE(report.ok) << report.message;
    }
  }
}

// 10^8 items with the methods that have speed targets, in the layouts in use.
TEST_F(GpuConstruction, LargeTablesHoldTheWeights) {
  for (const char* distribution : {"uniform", "powerlaw_1_shuffled"}) {
    const DeviceBuffer<double> on_device =
        weights::generate_on_device<double>(distribution, 100'000'000, 1);
    std::vector<double> weights(on_device.size());
    copy_to_host(on_device.data(), std::span(weights));
    for (const bool psa_plus : {false, true}) {
      for (const TableOptions& options :
           {TableOptions{Arithmetic::floating, Layout::wide_rows, 0},
            TableOptions{Arithmetic::fixed_point, Layout::compact_rows, 0}}) {
        AliasTableSplitGpu table(options, {.psa_plus = psa_plus});
        table.build(WeightsView::on_device(on_device.span()));
        const auto report = verification::verify(table, weights);
        EXPECT_TRUE(report.ok) << distribution << ", PSA+ " << psa_plus << ": " << report.message;
      }
    }
  }
}

// 10^9 items, for which the bound for floating-point masses would accept incorrect rows: verified
// exactly, in device memory.
TEST_F(GpuConstruction, LargeTablesOf1e9ItemsAreExact) {
  constexpr Index n = 1'000'000'000;
  if (!has_free_memory(std::uint64_t{n} * 75)) GTEST_SKIP() << "needs 75 GB of GPU memory";
  for (const char* distribution : {"uniform", "powerlaw_1_shuffled"}) {
    const DeviceBuffer<float> weights = weights::generate_on_device<float>(distribution, n, 1);
    const WeightsView view = WeightsView::on_device(weights.span());
    for (const SplitGpuOptions& method :
         {SplitGpuOptions{}, SplitGpuOptions{.pack = "chunked", .psa_plus = true}}) {
      AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, method);
      table.build(view);
      EXPECT_EQ(items_with_another_mass(table.table(), view), 0U)
          << distribution << ", " << name_of(method);
    }
  }
}

TEST(SplitGpuOptions, ThatWouldBeIgnoredAreRefused) {
  EXPECT_EQ(refusal({.psa_plus = true, .partition = "cub"}, {}), "PSA+ has a partition of its own");
  EXPECT_EQ(refusal({.greedy_min_items = 512}, {}),
            "only PSA+ packs greedily: greedy_min_items goes with psa_plus");
  EXPECT_EQ(refusal({.partition = "cub"}, {}), "");
  EXPECT_EQ(refusal({.psa_plus = true, .greedy_min_items = 512}, {}), "");
}

TEST(SplitGpuOptions, PackMethodsForIndicesOnlySayWhy) {
  for (const pack::PackMethod& pack : pack::methods()) {
    EXPECT_EQ(pack.elements.size() == 1, !pack.indices_only.empty()) << pack.name;
    EXPECT_EQ(pack.elements.front(), pack::ElementKind::index) << pack.name;
  }
}

TEST(SplitGpuOptions, SectionsAreRefusedFromTheFirstThatSharedMemoryHasNoRoomFor) {
  const auto refused = [](const char* name, pack::ElementKind elements, Index section_items) {
    constexpr std::size_t shared_bytes = 232'448;
    return pack::section_refusal(pack::find_method(name), elements, section_items, shared_bytes);
  };
  using pack::ElementKind;
  // 32 workers, elements of 16 and of 4 bytes, and two more elements.
  EXPECT_EQ(refused("shared_memory", ElementKind::index_and_mass, 453), "");
  EXPECT_EQ(refused("shared_memory", ElementKind::index_and_mass, 454),
            "sections of 454 items are too large for pack method shared_memory, which has room for "
            "453");
  EXPECT_EQ(refused("shared_memory", ElementKind::index, 1815), "");
  EXPECT_NE(refused("shared_memory_branched", ElementKind::index, 1816), "");
  EXPECT_EQ(refused("table_in_shared_memory", ElementKind::index, 32), "");
  EXPECT_NE(refused("table_in_shared_memory", ElementKind::index, 33), "");
  EXPECT_EQ(refused("chunked_tuned", ElementKind::index, 1'000'000), "");
}

TEST(SplitGpuOptions, InvalidCombinationsAreRefusedWithTheReason) {
  using pack::ElementKind;
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};
  EXPECT_EQ(refusal({.pack = "sweeping"}, {}),
            "pack method sweeping is for lists of indices only: it takes items and masses from the "
            "weights");
  EXPECT_EQ(refusal({.split = "parallel_inverse", .pack = "baseline", .psa_plus = true}, {}),
            "split method parallel_inverse is there to be compared: for all items, of which PSA+ "
            "leaves an unknown number");
  EXPECT_EQ(refusal({.pack = "prefilled", .elements = ElementKind::index}, fixed),
            "pack method prefilled is for floating-point arithmetic: it keeps masses as such "
            "numbers in the rows");
  EXPECT_EQ(refusal({.elements = ElementKind::index, .psa_plus = true}, {}),
            "PSA+ needs lists of indices and masses: it leaves items that are partly packed");
  EXPECT_EQ(refusal({.pack = "table_in_shared_memory", .psa_plus = true}, {}),
            "pack method table_in_shared_memory needs all items, PSA+ leaves some");
}

TEST_F(GpuConstruction, RefusesInvalidCombinations) {
  const SplitGpuOptions bad{.pack = "sweeping"};
  EXPECT_EQ(error_of([&] { AliasTableSplitGpu table({}, bad); }), refusal(bad, {}));
  std::string known;
  for (const split::SplitMethod& split : split::methods()) {
    known += (known.empty() ? "" : ", ") + split.name;
  }
  EXPECT_EQ(error_of([] { AliasTableSplitGpu table({}, {.split = "ternary"}); }),
            "unknown split method 'ternary' (known: " + known + ")");
  EXPECT_EQ(error_of([] { static_cast<void>(find_method("inverse_chunked")); }),
            "no method 'inverse_chunked': split method inverse is there to be compared: splits do "
            "not depend on the pack method, so it goes with pack method baseline and lists of "
            "indices only");
  EXPECT_EQ(error_of([] { static_cast<void>(find_method("baseline_sweeping_masses")); }),
            "no method 'baseline_sweeping_masses': " + refusal(bad, {}));
}

// Kernels read the weights before they are validated.
TEST_F(GpuConstruction, InvalidWeightsDoNoHarmWhateverTheMethods) {
  const Index n = verification::is_brief() ? 2'000 : 20'000;
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    for (const char* how : {"two NaN", "all NaN", "half NaN", "half infinite", "half negative",
                            "too large a sum", "all zero"}) {
      const DeviceBuffer<double> device = on_device(with_invalid_weights(n, how));
      const WeightsView weights = WeightsView::on_device(device.span());
      for (const char* split : {"baseline", "partial_p_ary", "inverse"}) {
        for (const char* pack : {"baseline", "shared_memory", "chunked"}) {
          for (const bool psa_plus : {false, true}) {
            const SplitGpuOptions method{
                .split = split, .pack = pack, .psa_plus = psa_plus, .section_items = 50};
            if (!refusal(method, {arithmetic, Layout::wide_rows, 0}).empty()) continue;
            SCOPED_TRACE(std::string(to_string(arithmetic)) + ", " + how + ", " + name_of(method));
            AliasTableSplitGpu table({arithmetic, Layout::wide_rows, 0}, method);
            table.reserve(n, weights.type());
            table.construct(weights, nullptr);
            const std::string error = error_of([&] { table.finish(weights, nullptr); });
            ASSERT_EQ(error.substr(0, 18), "argument 'weights'") << error;
            ASSERT_THROW(static_cast<void>(table.table()), Error);
          }
        }
      }
    }
  }
}

TEST_F(GpuConstruction, GraphIsReplayedAfterInvalidWeights) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  const Index n = 3'000'000;  // large enough that freeing returns memory to the device
  DeviceBuffer<double> device(n);
  const WeightsView weights = WeightsView::on_device(std::as_const(device).span());
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {});
  table.reserve(n, weights.type());
  const Graph graph([&](cudaStream_t stream) { table.construct(weights, stream); });
  std::vector<double> host = uniform_weights(n, 18);
  host[7] = -1;
  copy_to_device(std::span<const double>(host), device.data());
  EXPECT_EQ(error_of([&] { table.finish(weights, graph.launch()); }),
            "argument 'weights': weight 7 is negative (-1)");
  EXPECT_EQ(table.size(), 0U);
  host[7] = 1;
  copy_to_device(std::span<const double>(host), device.data());
  table.finish(weights, graph.launch());
  EXPECT_TRUE(verification::verify(table, host).ok);
}

TEST_F(GpuConstruction, FailedReserveForbidsConstruct) {
  // On a large GPU the rows fit in memory, but not the temporary storage of their construction.
  constexpr auto n = static_cast<Index>(max_items);
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  table.build(std::vector<float>(1000, 1.0F));
  EXPECT_THROW(table.reserve(n, WeightsView::Type::float32), OutOfMemory);
  const DeviceBuffer<float> few(1000);  // not read: no memory is reserved
  const WeightsView weights = WeightsView::on_device(std::span<const float>(few.data(), n));
  EXPECT_EQ(error_of([&] { table.construct(weights, nullptr); }),
            "construct: argument 'weights' has 4294967294 items of float32, and no memory is "
            "reserved; call reserve() for these weights first");
  EXPECT_EQ(table.size(), 0U);
  table.reserve(999, WeightsView::Type::float64);
  EXPECT_EQ(error_of([&] { table.construct(weights, nullptr); }),
            "construct: argument 'weights' has 4294967294 items of float32, and memory is reserved "
            "for 999 of float64; call reserve() for these weights first");
}

}  // namespace
}  // namespace wrsgpu
