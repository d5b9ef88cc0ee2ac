// What is particular to tables on the GPU; that every GPU method is right on every input is the
// construction suite's matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu_test.hpp"
#include "wrsgpu/construction/alias_table_split_gpu.cuh"
#include "wrsgpu/construction/quantise.hpp"
#include "wrsgpu/construction/split/partial_p_ary_search.cuh"
#include "wrsgpu/construction/split/put_in_order.cuh"
#include "wrsgpu/cpu_reference/sweep.hpp"
#include "wrsgpu/random/philox.hpp"
#include "wrsgpu/verification/reconstruction.hpp"

namespace wrsgpu {
namespace {

using GpuConstruction = GpuTest;

const std::vector<Index> sizes{1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4095, 4097, 100'003};

std::vector<double> uniform_weights(Index n, std::uint64_t seed) {
  std::vector<double> w(n);
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random::philox_word(seed, i) >> 11) * 0x1p-53;
  }
  return w;
}

std::vector<double> power_law(Index n) {
  std::vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = 1.0 / (1.0 + (i * std::uint64_t{7919}) % n);
  return w;
}

void expect_same_rows(const HostTable& a, const HostTable& b) {
  ASSERT_EQ(a.size(), b.size());
  a.visit([&](auto rows_a) {
    b.visit([&](auto rows_b) {
      for (Index i = 0; i < a.size(); ++i) {
        ASSERT_EQ(rows_a.own(rows_a.load(i)), rows_b.own(rows_b.load(i))) << "row " << i;
        ASSERT_EQ(rows_a.alias(rows_a.load(i)), rows_b.alias(rows_b.load(i))) << "row " << i;
      }
    });
  });
}

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  copy_to_device(std::span<const T>(host), device.data());
  return device;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(GpuConstruction, QuantisesAsTheHost) {
  for (const Index n : sizes) {
    for (const auto& host : {uniform_weights(n, 5), power_law(n), std::vector<double>(n, 0.1)}) {
      const WeightSummary summary = summarise(host, 1);
      const HostBuffer<std::uint64_t> expected = quantise(host, summary, 1);
      const DeviceBuffer<double> weights = on_device(host);
      DeviceBuffer<DeviceWeightSummary> device_summary(1);
      DeviceBuffer<std::uint64_t> masses(n);
      const auto launch = [&](DeviceArena& arena) {
        summarise_on_device(weights.span(), device_summary.data(), arena, nullptr);
        quantise_on_device(weights.span(), device_summary.data(), masses.data(), arena, nullptr);
      };
      DeviceArena sizes_only;
      launch(sizes_only);
      DeviceBuffer<std::byte> storage(sizes_only.used());
      DeviceArena arena(storage.data());
      launch(arena);
      std::vector<std::uint64_t> actual(n);
      copy_to_host(masses.data(), std::span(actual));
      for (Index i = 0; i < n; ++i)
        ASSERT_EQ(actual[i], expected[i]) << "item " << i << " of " << n;
    }
  }
}

TEST_F(GpuConstruction, FixedPointTableIsTheSweepsWhateverTheSections) {
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    const TableOptions options{Arithmetic::fixed_point, layout, 1};
    for (const Index n : sizes) {
      for (const auto& weights : {uniform_weights(n, 6), power_law(n)}) {
        Sweep sweep(options);
        sweep.build(weights);
        for (const Index section_items : {1U, 2U, 7U, 32U, 1000U}) {
          SCOPED_TRACE(std::to_string(n) + " items, sections of " + std::to_string(section_items));
          for (const pack::Method& pack : pack::methods()) {
            for (const pack::ElementKind elements : pack.elements) {
              const SplitGpuOptions method{
                  .pack = pack.name, .elements = elements, .section_items = section_items};
              const bool fits = section_items <= 32 || (pack.name != "shared_memory" &&
                                                        pack.name != "table_in_shared_memory");
              if (!fits || pack.refuses_weights || pack.order != pack::Order::by_index ||
                  !refusal(method, options).empty()) {
                continue;
              }
              SCOPED_TRACE(name_of(method));
              AliasTableSplitGpu gpu(options, method);
              gpu.build(weights);
              expect_same_rows(gpu.to_host(), sweep.table());
            }
          }
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

TEST_F(GpuConstruction, NamesUnfitWeightsInDeviceMemory) {
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
  EXPECT_EQ(error({1e308, 1e308}), "argument 'weights': their sum overflows double precision");
}

TEST_F(GpuConstruction, UnfitWeightsSurfaceInFinishAndDoNoHarm) {
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
  AliasTableSplitGpu table({}, {});
  table.build(uniform_weights(100, 9));
  const HostTable before = table.to_host();
  EXPECT_THROW(table.build(std::vector<double>{1, -1}), Error);
  expect_same_rows(table.to_host(), before);
}

TEST_F(GpuConstruction, IsCapturedInAGraphAndReplayed) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  const Index n = 50'000;
  const std::vector<double> host = power_law(n);
  const DeviceBuffer<double> device = on_device(host);
  const WeightsView weights = WeightsView::on_device(device.span());
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, {});
  table.reserve(n, weights.type());
  cudaStream_t stream = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamCreate(&stream));
  WRSGPU_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  table.construct(weights, stream);
  cudaGraph_t graph = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  WRSGPU_CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < 2; ++replay) {
    WRSGPU_CUDA_CHECK(cudaGraphLaunch(executable, stream));
    table.finish(weights, stream);
    Sweep sweep({Arithmetic::fixed_point, Layout::compact_rows, 1});
    sweep.build(host);
    expect_same_rows(table.to_host(), sweep.table());
  }
  WRSGPU_CUDA_CHECK(cudaGraphExecDestroy(executable));
  WRSGPU_CUDA_CHECK(cudaGraphDestroy(graph));
  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
}

// Splits found out of order: what rounding does seldom is planted here.
TEST_F(GpuConstruction, PutsSplitsInOrder) {
  const Index n = 6000;
  const split::Sections sections{n, 2};  // more splits than threads: several rounds of the block
  std::vector<std::uint64_t> prefix(n);
  for (Index i = 0; i < n; ++i) prefix[i] = (i + 1) * fixed_bucket;
  const DeviceBuffer<std::uint64_t> sums = on_device(prefix);
  std::vector<Index> counts{n / 2, n / 2};
  DeviceBuffer<Index> device_counts = on_device(counts);
  std::vector<split::State<std::uint64_t>> found(sections.count() + 1);
  for (Index k = 0; k <= sections.count(); ++k) {
    const Index rows = sections.start(k);
    const Index heavy = rows / 2;
    const bool spoil = k % 97 == 5 && k + 3 < sections.count();
    found[k] = {rows - heavy + (spoil ? 3 : 0), heavy - (spoil ? 3 : 0), 0};
  }
  DeviceBuffer<split::State<std::uint64_t>> splits = on_device(found);
  const DeviceBuffer<int> flag = on_device(std::vector<int>{1});
  const split::Task<std::uint64_t> task{sums.data(),  nullptr, device_counts.data(),
                                        nullptr,      n,       sections.section_items,
                                        splits.data()};
  split::put_in_order<128><<<1, 128>>>(task, flag.data());
  check_launch("put_in_order");
  copy_to_host(splits.data(), std::span(found));
  for (Index k = 0; k < sections.count(); ++k) {
    ASSERT_EQ(found[k].items(), sections.start(k)) << "split " << k;
    ASSERT_TRUE(split::in_order(found[k], found[k + 1])) << "split " << k;
  }
  EXPECT_EQ(found.back().light, n / 2);
}

/// What the partitions must give: light and heavy items in index order.
std::pair<std::vector<Index>, std::vector<Index>> light_and_heavy(const std::vector<double>& w) {
  const WeightSummary summary = summarise(w, 1);
  std::pair<std::vector<Index>, std::vector<Index>> lists;
  for (Index i = 0; i < w.size(); ++i) {
    (w[i] * summary.scale <= summary.bucket() ? lists.first : lists.second).push_back(i);
  }
  return lists;
}

TEST_F(GpuConstruction, EveryPartitionKeepsTheOrderOfTheItems) {
  for (const partition::Method& method : partition::methods()) {
    for (const Index n : sizes) {
      for (const auto& host : {uniform_weights(n, 11), power_law(n), std::vector<double>(n, 0.1)}) {
        SCOPED_TRACE(method.name + ", " + std::to_string(n) + " items");
        const DeviceBuffer<double> weights = on_device(host);
        const WeightSummary host_summary = summarise(host, 1);
        const DeviceBuffer<DeviceWeightSummary> summary = on_device(
            std::vector<DeviceWeightSummary>{{host_summary, host_summary.bucket(), 0, n, true}});
        DeviceBuffer<Index> light(n);
        DeviceBuffer<Index> heavy(n);
        DeviceBuffer<Index> counts(2);
        const partition::Task<FloatingSource<double>, Index> task{
            {weights.data(), summary.data()}, n, {light.data(), heavy.data(), counts.data()}};
        DeviceArena sizes_only;
        method.launch(task, sizes_only, nullptr);
        DeviceBuffer<std::byte> storage(sizes_only.used());
        DeviceArena arena(storage.data());
        method.launch(task, arena, nullptr);
        const auto expected = light_and_heavy(host);
        std::vector<Index> found_counts(2);
        copy_to_host(counts.data(), std::span(found_counts));
        ASSERT_EQ(found_counts[0], expected.first.size());
        ASSERT_EQ(found_counts[1], expected.second.size());
        std::vector<Index> found(expected.first.size());
        copy_to_host(light.data(), std::span(found));
        ASSERT_EQ(found, expected.first);
        found.resize(expected.second.size());
        copy_to_host(heavy.data(), std::span(found));
        ASSERT_EQ(found, expected.second);
      }
    }
  }
}

// The states themselves, at the rows asked for: tables do not show where the sections end.
TEST_F(GpuConstruction, EverySplitMethodFindsTheHostsStates) {
  for (const Index n : {1U, 2U, 33U, 1000U, 50'000U}) {
    for (const auto& weights : {uniform_weights(n, 12), power_law(n), std::vector<double>(n, 1)}) {
      const HostBuffer<std::uint64_t> masses = quantise(weights, summarise(weights, 1), 1);
      std::vector<std::uint64_t> sums;
      std::vector<Index> counts;
      for (const bool heavy : {false, true}) {
        for (Index i = 0; i < n; ++i) {
          if ((masses[i] > fixed_bucket) != heavy) continue;
          sums.push_back((sums.empty() ? 0 : sums.back()) + masses[i]);
        }
        counts.push_back(static_cast<Index>(sums.size()) - (heavy ? counts[0] : 0));
      }
      const DeviceBuffer<std::uint64_t> device_sums = on_device(sums);
      const DeviceBuffer<Index> device_counts = on_device(counts);
      for (const Index section_items : {1U, 7U, 32U, 100'000U}) {
        split::Task<std::uint64_t> task{
            device_sums.data(), nullptr, device_counts.data(), nullptr, n, section_items, nullptr};
        DeviceBuffer<split::State<std::uint64_t>> splits(task.max_splits());
        task.splits = splits.data();
        const split::Sections sections{n, section_items};
        std::uint64_t light_mass = counts[0] == 0 ? 0 : sums[counts[0] - 1];
        const split::PrefixSums<std::uint64_t, split::DeviceSums<std::uint64_t>> host_sums{
            {sums.data(), 0},
            {sums.data() + counts[0], light_mass},
            counts[0],
            counts[1],
            fixed_bucket};
        for (const split::Method& method : split::methods()) {
          if (section_items == 1 && n > 1000 && method.max_sections < n) continue;  // too many
          SCOPED_TRACE(method.name + ", " + std::to_string(n) + " items, sections of " +
                       std::to_string(section_items));
          DeviceArena sizes_only;
          method.launch(task, sizes_only, nullptr);
          DeviceBuffer<std::byte> storage(sizes_only.used() + 1);
          DeviceArena arena(storage.data());
          method.launch(task, arena, nullptr);
          std::vector<split::State<std::uint64_t>> found(splits.size());
          copy_to_host(splits.data(), std::span(found));
          for (Index k = 0; k <= sections.count(); ++k) {
            const auto expected = split::binary_search(host_sums, sections.start(k));
            ASSERT_EQ(found[k].light, expected.light) << "split " << k;
            ASSERT_EQ(found[k].heavy, expected.heavy) << "split " << k;
            ASSERT_EQ(found[k].spill, expected.spill) << "split " << k;
          }
        }
      }
    }
  }
}

TEST_F(GpuConstruction, PsaPlusPacksMostOfUniformWeightsGreedily) {
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {.psa_plus = true});
  table.build(uniform_weights(1'000'000, 13));
  EXPECT_GT(table.greedy_fraction(), 0.85);
  EXPECT_LT(table.greedy_fraction(), 1);
  table.build(std::vector<double>(100'000, 1.0));  // no heavy items: nothing to pack greedily
  EXPECT_EQ(table.greedy_fraction(), 0);
}

TEST_F(GpuConstruction, TableInSharedMemoryRefusesOverlappingSections) {
  AliasTableSplitGpu table({}, {.pack = "table_in_shared_memory"});
  table.build(std::vector<double>(10'000, 1.0));
  EXPECT_EQ(table.size(), 10'000U);
  const std::string error = error_of([&] { table.build(uniform_weights(10'000, 14)); });
  EXPECT_NE(error.find("sections overlap"), std::string::npos) << error;
  EXPECT_NE(error.find("choose another pack method"), std::string::npos) << error;
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(GpuConstruction, SharedMemoryRefusesSectionsThatDoNotFit) {
  AliasTableSplitGpu table({}, {.pack = "shared_memory", .section_items = 1'000'000});
  const std::string error = error_of([&] { table.build(uniform_weights(1000, 15)); });
  EXPECT_NE(error.find("argument 'section_items' is 1000000"), std::string::npos) << error;
}

// Thesis 4.8: none of these changes the table.
TEST_F(GpuConstruction, VariationsBuildTheSameTable) {
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 1};
  for (const Index n : sizes) {
    const std::vector<double> weights = power_law(n);
    Sweep sweep(fixed);
    sweep.build(weights);
    const std::vector<SplitGpuOptions> variations{
        {.prefix_sums = PrefixSums::one_by_one},
        {.prefix_sums = PrefixSums::two_streams},
        {.section_items = 3, .interleaved_parts = 10},
        {.pack = "chunked", .section_items = 3, .interleaved_parts = 3},
        {.pack = "baseline", .section_items = 3, .interleaved_parts = 10},
        {.split = "inverse", .pack = "baseline", .interleaved_parts = 4},
        {.cache = pack::Cache::prefer_l1},
        {.pack = "chunked", .cache = pack::Cache::prefer_shared},
    };
    for (const SplitGpuOptions& variation : variations) {
      SCOPED_TRACE(std::to_string(n) + " items, variation " +
                   std::to_string(&variation - variations.data()));
      AliasTableSplitGpu gpu(fixed, variation);
      gpu.build(weights);
      expect_same_rows(gpu.to_host(), sweep.table());
    }
    AliasTableSplitGpu narrow({}, {.narrow_stores = true});
    narrow.build(weights);
    EXPECT_TRUE(verification::verify(narrow, weights).ok);
  }
}

TEST_F(GpuConstruction, RefusesCombinationsThatMakeNoSense) {
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};
  const auto error = [](TableOptions options, SplitGpuOptions method) {
    return error_of([&] { AliasTableSplitGpu table(options, method); });
  };
  using pack::ElementKind;
  EXPECT_EQ(error({}, {.pack = "sweeping"}),
            "pack method sweeping is for lists of indices: it gets masses by itself");
  EXPECT_EQ(
      error(fixed, {.pack = "prefilled", .elements = ElementKind::index}),
      "pack method prefilled keeps whole masses in the rows, which hold fixed-point masses up "
      "to 2^53 only");
  EXPECT_EQ(error({}, {.elements = ElementKind::index, .psa_plus = true}),
            "PSA+ needs lists of indices and masses: it leaves items that are partly packed");
  EXPECT_EQ(error({}, {.pack = "table_in_shared_memory", .psa_plus = true}),
            "pack method table_in_shared_memory needs all items, PSA+ leaves some");
  EXPECT_EQ(error({}, {.split = "ternary"}),
            "unknown split method 'ternary' (known: baseline, baseline_group_1, partial_p_ary, "
            "inverse, parallel_inverse)");
}

template <int p>
__global__ void lower_bounds(const std::uint32_t* list, Index size, const std::uint32_t* queries,
                             Index count, Index* found) {
  __shared__ split::PartialPArySearchStorage<p, Index> storage;
  const Index first = blockIdx.x * p;
  const Index here = count - first < p ? count - first : p;
  const Index result = split::block_partial_p_ary_search<p>(
      storage, size, here,
      [&](Index position, unsigned query) { return list[position] < queries[first + query]; });
  if (threadIdx.x < here) found[first + threadIdx.x] = result;
}

// The search on its own, against std::lower_bound, for queries close together and far apart.
TEST_F(GpuConstruction, PartialPArySearchFindsLowerBounds) {
  constexpr int p = 64;
  for (const Index n : {1U, 2U, 63U, 64U, 65U, 1000U, 100'003U}) {
    std::vector<std::uint32_t> list(n);
    for (Index i = 0; i < n; ++i) list[i] = 7 * (i / 3);  // with duplicates
    for (const std::uint32_t gap : {0U, 1U, 5U, 7 * n / 640 + 1, 7 * n}) {
      for (const Index count : {1U, 63U, 64U, 65U, 700U}) {
        SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(count) + " queries, gap " +
                     std::to_string(gap));
        std::vector<std::uint32_t> queries(count);
        for (Index q = 0; q < count; ++q) queries[q] = q * gap;
        const DeviceBuffer<std::uint32_t> device_list = on_device(list);
        const DeviceBuffer<std::uint32_t> device_queries = on_device(queries);
        DeviceBuffer<Index> device_found(count);
        lower_bounds<p><<<(count + p - 1) / p, p>>>(device_list.data(), n, device_queries.data(),
                                                    count, device_found.data());
        check_launch("lower_bounds");
        std::vector<Index> found(count);
        copy_to_host(device_found.data(), std::span(found));
        for (Index q = 0; q < count; ++q) {
          ASSERT_EQ(found[q], std::lower_bound(list.begin(), list.end(), queries[q]) - list.begin())
              << "query " << q;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wrsgpu
