// What is particular to tables on the GPU; that every GPU method is right on every input is the
// construction suite's matter.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "wrsgpu/construction/alias_table_split_gpu.cuh"
#include "wrsgpu/construction/quantise.hpp"
#include "wrsgpu/construction/split/put_in_order.cuh"
#include "wrsgpu/cpu_reference/sweep.hpp"
#include "wrsgpu/random/philox.hpp"

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
          AliasTableSplitGpu gpu(options,
                                 {SplitMethod::baseline, PackMethod::baseline, section_items});
          gpu.build(weights);
          expect_same_rows(gpu.to_host(), sweep.table());
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
  const std::vector<std::uint64_t> masses(n, fixed_bucket);
  const DeviceBuffer<std::uint64_t> device_masses = on_device(masses);
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
  split::put_in_order<128><<<1, 128>>>(IntegerSource{device_masses.data()}, sections,
                                       partition::Items{nullptr, nullptr, device_counts.data()},
                                       sums.data(), splits.data(), flag.data());
  check_launch("put_in_order");
  copy_to_host(splits.data(), std::span(found));
  for (Index k = 0; k < sections.count(); ++k) {
    ASSERT_EQ(found[k].items(), sections.start(k)) << "split " << k;
    ASSERT_TRUE(split::in_order(found[k], found[k + 1])) << "split " << k;
  }
  EXPECT_EQ(found.back().light, n / 2);
}

}  // namespace
}  // namespace wrsgpu
