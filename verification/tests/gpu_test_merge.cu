// The construction by a merge: the host's masses and the host's table, bit for bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu_construction_cases.cuh"
#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "wrsgpu/construction/alias_table_merge_gpu.cuh"
#include "wrsgpu/construction/quantise.hpp"
#include "wrsgpu/construction/weight_summary.hpp"
#include "wrsgpu/cpu_reference/sectioned_sweep.hpp"
#include "wrsgpu/random/philox.hpp"
#include "wrsgpu/verification/brief.hpp"
#include "wrsgpu/verification/reconstruction.hpp"
#include "wrsgpu/verification/weight_families.hpp"

namespace wrsgpu {
namespace {

using GpuMerge = GpuTest;

const auto around_a_tile = verification::all_or_few<std::vector<Index>>(
    {1, 2, 3, 33, 1000, 2047, 2048, 2049, 4095, 4097, 100'003}, {3, 2049, 4097});

template <class T>
void expect_masses_of_the_host(const std::vector<T>& host) {
  const HostBuffer<std::uint64_t> expected = quantise(host, 1);
  const DeviceBuffer<T> weights = on_device(host);
  DeviceBuffer<DeviceWeightSummary> summary = new_device_summary();
  DeviceBuffer<std::uint64_t> masses(host.size());
  run_with_own_storage([&](DeviceArena& arena) {
    quantise_on_device(weights.span(), summary.data(), masses.data(), arena, nullptr);
  });
  std::vector<std::uint64_t> actual(host.size());
  copy_to_host(std::as_const(masses).data(), std::span(actual));
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << "item " << i;
  const WeightSummary found =
      read_summary(WeightsView::on_device(weights.span()), summary.data(), nullptr);
  const WeightSummary exact = summarise(host, 1);
  EXPECT_NEAR(found.total / exact.total, 1, 1e-12);
  EXPECT_EQ(found.largest, exact.largest);
  EXPECT_EQ(found.scale, exact.scale);
}

TEST_F(GpuMerge, MassesAreTheHosts) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : around_a_tile) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      expect_masses_of_the_host(weights);
      if (family.fits_float) {
        expect_masses_of_the_host(std::vector<float>(weights.begin(), weights.end()));
      }
      if (HasFailure()) return;
    }
  }
}

TEST_F(GpuMerge, TheLargestItemTakesWhatRoundingLeaves) {
  std::vector<float> weights(1U << 22);
  weights[3] = 1;
  weights[5] = 1e30F;
  weights[9] = 1e30F;
  expect_masses_of_the_host(weights);
}

void expect_table_of_the_host(Layout layout, WeightsView weights) {
  const TableOptions options{Arithmetic::fixed_point, layout, 1};
  SectionedSweep host(options);
  AliasTableMergeGpu gpu(options);
  host.build(weights);
  gpu.build(weights);
  expect_same_rows(gpu.to_host(), host.table());
}

TEST_F(GpuMerge, TablesAreTheHosts) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : around_a_tile) {
      const std::vector<double> weights = family.make(n);
      for (const Layout layout :
           {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        expect_table_of_the_host(layout, weights);
        if (HasFailure()) return;
      }
    }
  }
}

// So many tiles are not under way at once: blocks are of another shape, and wait for each other.
TEST_F(GpuMerge, TablesOfManyTilesAreTheHosts) {
  constexpr Index n = 2'000'003;
  for (const verification::WeightFamily& family : verification::weight_families()) {
    SCOPED_TRACE(family.name);
    const std::vector<double> weights = family.make(n);
    expect_table_of_the_host(Layout::compact_rows, weights);
    if (HasFailure()) return;
  }
  std::vector<double> light(n, 1.0);
  std::fill_n(light.begin() + n / 3, 5'000, 0.0);
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    expect_table_of_the_host(layout, light);
  }
}

// Small integers meet in ties everywhere: sums of deficits that are sums of excesses.
TEST_F(GpuMerge, TiesAreDecidedAsOnTheHost) {
  for (std::uint64_t seed = 0; seed < (verification::is_brief() ? 10 : 200); ++seed) {
    const auto n = static_cast<Index>(1 + random::philox_word(seed, 0) % 20'000);
    std::vector<float> weights(n);
    for (Index i = 0; i < n; ++i) {
      weights[i] =
          static_cast<float>(random::philox_word(seed, i + std::uint64_t{1}) % (2 + seed % 5));
    }
    weights[n / 2] = 3;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_table_of_the_host(Layout::compact_rows, weights);
    if (HasFailure()) return;
  }
}

// One tile lacks what thousands of items hand on, more than are merged at a time; and the reverse.
TEST_F(GpuMerge, OneTileGetsFromManyAndManyFromOne) {
  constexpr Index n = 50'000;
  for (const Index at : {Index{0}, Index{25'000}, n - 1}) {
    std::vector<double> light(n, 1.0);
    for (Index i = 0; i < 2048 && at + i < n; ++i) light[at + i] = 0;
    expect_table_of_the_host(Layout::compact_rows, light);
    std::vector<double> heavy(n, 1.0);
    heavy[at] = 1e6;
    expect_table_of_the_host(Layout::compact_rows, heavy);
  }
}

// One block balances few tiles, a grid that waits for itself many.
TEST_F(GpuMerge, IsCapturedInAGraphWhateverTheNumberOfTiles) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  for (const Index n : {100'003U, 5'000'000U}) {
    DeviceBuffer<float> device(n);
    const WeightsView weights = WeightsView::on_device(std::as_const(device).span());
    AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0});
    table.reserve(n, weights.type());
    const Graph graph([&](cudaStream_t stream) { table.construct(weights, stream); });
    for (const char* family : {"uniform", "powerlaw_1"}) {
      const std::vector<double> exact = verification::find_weight_family(family).make(n);
      const std::vector<float> host(exact.begin(), exact.end());
      copy_to_device(std::span<const float>(host), device.data());
      table.finish(weights, graph.launch());
      const auto report = verification::verify(table, host);
      EXPECT_TRUE(report.ok) << n << ' ' << family << ": " << report.message;
    }
  }
}

TEST_F(GpuMerge, LargeTablesHoldTheWeights) {
  for (const char* family : {"uniform", "powerlaw_1_shuffled", "powerlaw_1"}) {
    const std::vector<double> exact = verification::find_weight_family(family).make(10'000'000);
    const std::vector<float> weights(exact.begin(), exact.end());
    AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
    gpu.build(weights);
    const auto report = verification::verify(gpu, weights);
    EXPECT_TRUE(report.ok) << family << ": " << report.message;
  }
}

TEST_F(GpuMerge, LargeTablesWhoseTilesTakeFromThousands) {
  std::vector<float> weights(34'000'000, 1);
  std::fill_n(weights.begin() + 20'000'000, 3'000, 0.0F);
  AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
  gpu.build(weights);
  const auto report = verification::verify(gpu, weights);
  EXPECT_TRUE(report.ok) << report.message;
}

TEST_F(GpuMerge, TemporaryStorageIsAtMost8BytesAnItem) {
  const AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
  EXPECT_LE(gpu.temporary_bytes(100'000'000, WeightsView::Type::float32), 8 * 100'000'000U);
}

// What was reserved for more items serves fewer.
TEST_F(GpuMerge, MoreItemsNeedNoLessTemporaryStorage) {
  const AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
  for (const Index tiles : {1U, 2U, 512U, 528U, 2048U, 16'384U, 24'576U, 65'536U, 131'072U}) {
    std::size_t before = 0;
    for (const Index n : {tiles * 2048 - 1, tiles * 2048, tiles * 2048 + 1, tiles * 2048 + 2049}) {
      const std::size_t bytes = gpu.temporary_bytes(n, WeightsView::Type::float32);
      EXPECT_GE(bytes, before) << n << " items";
      before = bytes;
    }
  }
}

TEST_F(GpuMerge, RefusesFloatingPointArithmetic) { EXPECT_THROW(AliasTableMergeGpu({}), Error); }

}  // namespace
}  // namespace wrsgpu
