// The merge construction: equal to the masses and the table of the host, bit for bit.
#include <gtest/gtest.h>

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "construction/device_masses.cuh"
#include "gpu_graph.cuh"
#include "gpu_reconstruction.cuh"
#include "gpu_table_of_the_host.cuh"
#include "gpu_test.hpp"
#include "registry/gpu_samplers.cuh"
#include "registry/verify.hpp"
#include "tile_layouts.hpp"
#include "verification/brief.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/generate_weights.cuh"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu {
namespace {

using GpuMerge = GpuTest;
constexpr TableForm both_forms[] = {TableForm::merge_path, TableForm::warp_parallel};

const auto around_a_tile = verification::all_or_few<std::vector<Index>>(
    {1, 2, 3, 33, 1000, 2047, 2048, 2049, 4095, 4097, 100'003}, {3, 2049, 4097});

template <class T>
void expect_masses_of_the_host(const std::vector<T>& host) {
  const HostBuffer<std::uint64_t> expected = quantise(host, 1);
  const DeviceBuffer<T> weights = on_device(host);
  DeviceBuffer<std::uint64_t> masses(host.size());
  const WeightSummary found =
      masses_on_device(WeightsView::on_device(weights.span()), masses.span());
  std::vector<std::uint64_t> actual(host.size());
  copy_to_host(std::as_const(masses).data(), std::span(actual));
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << "item " << i;
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

// Tiles that a single block cannot balance, but a cluster or a grid can.
TEST_F(GpuMerge, MassesOfManyTilesAreTheHosts) {
  for (const Index n :
       verification::all_or_few<std::vector<Index>>({5'000'003, 20'000'003}, {5'000'003})) {
    for (const char* family : {"uniform", "powerlaw_1", "one_heavy_last"}) {
      SCOPED_TRACE(std::string(family) + ", " + std::to_string(n) + " items");
      expect_masses_of_the_host(verification::find_weight_family(family).make(n));
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

TEST_F(GpuMerge, TablesAreTheHosts) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : around_a_tile) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const std::vector<float> floats(weights.begin(), weights.end());
      for (const Layout layout :
           {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
        for (const TableForm form : both_forms) {
          expect_table_of_the_host(layout, weights, form);
          if (family.fits_float) expect_table_of_the_host(layout, floats, form);
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(GpuMerge, ASingleTileIsChecked) {
  AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 1});
  const auto error = [&](std::vector<float> host) {
    const DeviceBuffer<float> device = on_device(host);
    const WeightsView weights = WeightsView::on_device(device.span());
    table.reserve(static_cast<Index>(host.size()), weights.type());
    table.construct(weights, nullptr);
    return error_of([&] { table.finish(weights, nullptr); });
  };
  std::vector<float> weights(1000, 1.0F);
  EXPECT_EQ(error(weights), "no error");
  for (const Index at : {0U, 7U, 999U}) {
    std::vector<float> invalid = weights;
    invalid[at] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(error(invalid),
              "argument 'weights': weight " + std::to_string(at) + " is not a number (nan)");
    invalid[at] = -1;
    EXPECT_NE(error(invalid).find("weight " + std::to_string(at)), std::string::npos);
  }
  EXPECT_NE(error(std::vector<float>(1000)), "no error");
  EXPECT_EQ(error(weights), "no error");
}

// More tiles than are in flight at once: blocks have a different shape and wait for each other. The
// larger tables are balanced by a grid instead of a single block.
TEST_F(GpuMerge, TablesOfManyTilesAreTheHosts) {
  for (const Index n : {2'000'003U, 5'000'003U}) {
    for (const verification::WeightFamily& family : verification::weight_families()) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      for (const TableForm form : {TableForm::merge_path, TableForm::warp_parallel}) {
        expect_table_of_the_host(Layout::compact_rows, weights, form);
      }
      if (HasFailure()) return;
    }
  }
  constexpr Index n = 2'000'003;
  std::vector<double> light(n, 1.0);
  std::fill_n(light.begin() + n / 3, 5'000, 0.0);
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    expect_table_of_the_host(layout, light);
  }
}

// Small integers cause ties everywhere: sums of deficits that equal sums of excesses.
TEST_F(GpuMerge, TiesAreDecidedAsOnTheHost) {
  for (std::uint64_t seed = 0; seed < (verification::is_brief() ? 10 : 200); ++seed) {
    const std::vector<double> exact = verification::small_integers(seed, 20'000);
    const std::vector<float> weights(exact.begin(), exact.end());
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const TableForm form : both_forms) {
      expect_table_of_the_host(Layout::compact_rows, weights, form);
    }
    if (HasFailure()) return;
  }
}

TEST_F(GpuMerge, TiesAreDecidedAsOnTheHostWhereFewTilesTakeFromMany) {
  for (const std::vector<verification::Tiles>& kinds : verification::few_tiles_take_from_many()) {
    std::vector<double> weights = verification::weights_of(kinds);
    for (const Index beside : {0U, 1U, 1000U}) {  // in the last tile
      weights.resize(weights.size() - beside);
      SCOPED_TRACE(std::to_string(weights.size()) + " items");
      for (const Layout layout : {Layout::wide_rows, Layout::compact_rows}) {
        expect_table_of_the_host(layout, weights);
      }
      if (HasFailure()) return;
    }
  }
}

// One tile receives items exported by thousands of others, more than are merged at a time; and the
// reverse.
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

// The storage holds results of earlier builds, which must not affect this one: numbers of items
// exported by tiles that have no excess now, and data in another layout, from a build of more
// items.
TEST_F(GpuMerge, RebuildingIgnoresStaleStorage) {
  for (const Index n :
       verification::all_or_few<std::vector<Index>>({33, 20'011, 100'003, 3'000'003}, {20'011})) {
    const TableOptions options{Arithmetic::fixed_point, Layout::compact_rows, 1};
    AliasTableMergeGpu merged(options);
    AliasTableMergeGpu swept(options, TableForm::warp_parallel);
    // Half of the tiles have an excess.
    const std::vector<double> more = uniform_weights(n + n / 3, 1);
    const std::vector<double> as_many = uniform_weights(n, 1);
    for (const verification::WeightFamily& family : verification::weight_families()) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      for (const TableForm form : both_forms) {
        TiledSweep host(options, form);
        host.build(weights);
        AliasTableMergeGpu& gpu = form == TableForm::merge_path ? merged : swept;
        for (const std::vector<double>* const earlier : {&more, &as_many}) {
          gpu.build(*earlier);
          gpu.build(weights);
          expect_same_rows(gpu.to_host(), host.table());
        }
      }
      if (HasFailure()) return;
    }
  }
}

// A single block balances few tiles, a grid with grid-wide synchronisation many.
TEST_F(GpuMerge, IsCapturedInAGraphWhateverTheNumberOfTiles) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  for (const TableForm form : both_forms) {
    for (const Index n : {1'000U, 100'003U, 5'000'000U}) {
      DeviceBuffer<float> device(n);
      const WeightsView weights = WeightsView::on_device(std::as_const(device).span());
      AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
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
}

TEST_F(GpuMerge, LargeTablesAreTheHostsOnBothSidesOfTheSizeThatDecides) {
  for (const Index n : {warp_pairing::threshold_items - 1, warp_pairing::threshold_items}) {
    SCOPED_TRACE(std::to_string(n) + " items");
    expect_table_of_the_host(Layout::compact_rows, uniform_floats(n));
  }
}

// Whose neighbours are alike: a half or a whole last tile, none, and unaligned weights.
TEST_F(GpuMerge, LargeTablesOfInterleavedTilesAreTheHosts) {
  for (const auto& [family, more] :
       {std::pair{"ramp", 1024U},
        {"words", 0U},
        {"powerlaw_2", 2047U},
        {"heavy", 65U},
        {"square_wave_524288", 1U},  // as many items as a row of chunks has
        {"heavy_chunks_524288", 0U}}) {
    const Index n = tile_sample::threshold_items + more;
    SCOPED_TRACE(std::string(family) + ", " + std::to_string(n) + " items");
    std::vector<double> weights = verification::heavy_leading<double>(n);
    if (family != std::string("heavy")) weights::generate<double>(family, n, 1, weights);
    ASSERT_TRUE(find_tile_map(weights).is_interleaved);
    const std::vector<float> floats(weights.begin(), weights.end());
    expect_masses_of_the_host(weights);
    expect_masses_of_the_host(floats);
    for (const TableForm form : both_forms) {
      expect_table_of_the_host(Layout::compact_rows, floats, form);
      expect_table_of_the_host(Layout::compact_rows, weights, form);
      expect_table_of_the_host(Layout::struct_of_arrays, floats, form);
    }
    const DeviceBuffer<float> on_gpu = on_device(floats);
    const WeightsView unaligned = WeightsView::on_device(on_gpu.span().subspan(1));
    const std::vector<float> from_second(floats.begin() + 1, floats.end());
    AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
    gpu.build(unaligned);
    const auto report = verification::verify(gpu, from_second);
    EXPECT_TRUE(report.ok) << report.message;
    if (HasFailure()) return;
  }
}

/// From 2^24 weights on, most of which are heavy: exports of deficits make the table of all but the
/// last, one of whose tiles would receive too many. `borders` has masses of eighths of a bucket:
/// what a tile lacks often ends where the excess of an item does, and where that of a tile does.
std::vector<std::vector<float>> mostly_heavy_weights() {
  constexpr Index n = tile_sample::threshold_items + 1025;
  std::vector<float> one_light(n, 1);
  one_light[n / 3] = 0.25F;
  std::vector<float> leading(n, 2);
  std::fill_n(leading.begin() + n / 10 * 9, n - n / 10 * 9, 1.0F);
  std::vector<float> shuffled(n, 2);
  std::vector<float> ties(n, 8);
  for (Index i = 0; i < n; ++i) {
    const std::uint64_t word = random::philox_word(3, i);
    if (word % 10 == 0) shuffled[i] = 1;
    if (word % 64 == 0) ties[i] = static_cast<float>(word / 64 % 16);
  }
  std::vector<float> borders(n, 8);
  for (Index k = 0; k < n / 512; ++k) {
    const auto at = [k](Index part) { return random::philox_word(13, 3 * k + part) % n; };
    const std::uint64_t more = at(2) % 8;
    const std::uint64_t from = at(1);
    if (borders[from] < 8) continue;
    borders[at(0)] += static_cast<float>(more);
    borders[from] -= static_cast<float>(more);
  }
  std::vector<float> many(n, 4);
  for (Index i = 0; i < n; i += 8) many[i] = 3.5F;
  many[77] = static_cast<float>(n) / 32;
  return {one_light, leading, shuffled, ties, borders, many};
}

TEST_F(GpuMerge, LargeTablesByExportsOfDeficitsAreTheHosts) {
  const std::vector<std::vector<float>> all = mostly_heavy_weights();
  for (std::size_t k = 0; k < all.size(); ++k) {
    SCOPED_TRACE(k);
    const std::vector<float>& weights = all[k];
    const TileMap map = find_tile_map(weights);
    ASSERT_TRUE(map.is_mostly_heavy);
    EXPECT_EQ(map.is_interleaved, k == 1);
    expect_table_of_the_host(Layout::compact_rows, weights);
    expect_table_of_the_host(Layout::struct_of_arrays, weights);
    expect_table_of_the_host(Layout::compact_rows,
                             std::vector<double>(weights.begin(), weights.end()));
    if (HasFailure()) return;
  }
}

// They are not mostly heavy for the choice of a table if no tile has an excess.
TEST_F(GpuMerge, LargeTablesWithoutExcessesAreTheHosts) {
  std::vector<float> weights(tile_sample::threshold_items);
  for (Index i = 0; i < weights.size(); ++i) weights[i] = i % 8 == i / 8 % 8 ? 0.125F : 1.125F;
  ASSERT_TRUE(find_tile_map(weights).is_mostly_heavy);
  expect_table_of_the_host(Layout::compact_rows, weights);
}

// The numbers that tiles wait for are those of this build.
TEST_F(GpuMerge, BuildsByExportsOfDeficitsFollowEachOther) {
  const std::vector<std::vector<float>> all = mostly_heavy_weights();
  AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
  for (int build = 0; build < 2; ++build) {
    for (const std::vector<float>& weights : all) {
      gpu.build(weights);
      const auto report = verification::verify(gpu, weights);
      EXPECT_TRUE(report.ok) << report.message;
      if (HasFailure()) return;
    }
  }
}

TEST_F(GpuMerge, LargeTablesHoldTheWeights) {
  for (const char* family : {"uniform", "powerlaw_1_shuffled", "powerlaw_1"}) {
    const std::vector<double> exact = verification::find_weight_family(family).make(10'000'000);
    const std::vector<float> weights(exact.begin(), exact.end());
    for (const TableForm form : both_forms) {
      AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
      gpu.build(weights);
      const auto report = verification::verify(gpu, weights);
      EXPECT_TRUE(report.ok) << family << ": " << report.message;
    }
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

// The maximum number of items, one of them with more than half of the total weight: an excess
// beyond 2^63. The table is verified in device memory.
TEST_F(GpuMerge, LargeTablesOfAllItemsThatIndicesCanName) {
  constexpr Index n = static_cast<Index>(max_items);
  constexpr Index heavy = 4'000'000'000;
  if (!has_free_memory(std::uint64_t{n} * 27)) GTEST_SKIP() << "needs 116 GB of GPU memory";
  DeviceBuffer<float> weights = weights::generate_on_device<float>("uniform", n, 1);
  const float maximum = 4e9;
  copy_to_device(std::span(&maximum, 1), weights.data() + heavy);
  const WeightsView view = WeightsView::on_device(std::as_const(weights).span());
  std::uint64_t heaviest = 0;
  {
    DeviceBuffer<std::uint64_t> masses(n);
    masses_on_device(view, masses.span());
    copy_to_host(std::as_const(masses).data() + heavy, std::span(&heaviest, 1));
  }
  const double all_weight = thrust::reduce(thrust::device, weights.data(), weights.data() + n, 0.0,
                                           thrust::plus<double>());
  const double share = std::ldexp(4e9 / all_weight * n, 32);
  EXPECT_NEAR(static_cast<double>(heaviest), share, mass_bound(share, n) + share * 1e-12);
  AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0});
  gpu.build(view);
  EXPECT_EQ(items_with_another_mass(gpu.table(), view), 0U);

  // Within 6 standard deviations, which are at most 500 and 600.
  constexpr std::uint64_t samples = 1'000'000;
  for (const char* sampler : {"direct", "sectioned"}) {
    DeviceBuffer<Index> drawn(samples);
    find_gpu_sampler(sampler).make({})->sample(gpu.table(), drawn.span(), {.seed = 3, .offset = 0},
                                               nullptr);
    std::vector<Index> host(samples);
    copy_to_host(std::as_const(drawn).data(), std::span(host));
    std::array<std::uint64_t, 3> count{};
    for (const Index item : host) {
      ASSERT_LT(item, n);
      ++count[item == heavy ? 0 : item < n / 2 ? 1 : 2];
    }
    const double p = 4e9 / (4e9 + 0x1p31);
    EXPECT_NEAR(static_cast<double>(count[0]), p * samples, 6 * 500);
    EXPECT_NEAR(static_cast<double>(count[1]), static_cast<double>(count[2]), 6 * 600);
  }
}

// The size does not depend on the weights; 24 bytes would be allowed for non-uniform ones. For
// still fewer items the constant part dominates.
TEST_F(GpuMerge, TemporaryStorageIsAtMost8BytesAnItem) {
  for (const TableForm form : both_forms) {
    const AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
    for (const auto type : {WeightsView::Type::float32, WeightsView::Type::float64}) {
      for (const Index n : {1000U, 2049U, 10'000U, 100'000U, 1'000'000U, 10'000'000U, 100'000'000U,
                            static_cast<Index>(max_items)}) {
        EXPECT_LE(gpu.temporary_bytes(n, type), 8 * std::uint64_t{n}) << n << " items";
      }
    }
  }
}

// Storage that was reserved for more items suffices for fewer.
TEST_F(GpuMerge, MoreItemsNeedNoLessTemporaryStorage) {
  for (const TableForm form : both_forms) {
    const AliasTableMergeGpu gpu({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
    for (const auto type : {WeightsView::Type::float32, WeightsView::Type::float64}) {
      std::size_t before = 0;
      for (const Index tiles :
           {1U, 4U, 256U, 512U, 528U, 2048U, 16'384U, 24'576U, 65'536U, 131'072U}) {
        for (const Index n :
             {tiles * 2048 - 1, tiles * 2048, tiles * 2048 + 1, tiles * 2048 + 2049}) {
          const std::size_t bytes = gpu.temporary_bytes(n, type);
          EXPECT_GE(bytes, before) << n << " items";
          before = bytes;
        }
      }
    }
  }
}

// Needs no GPU: the memory behind belongs to the same allocation, so no sanitizer would detect an
// overrun.
TEST(Balance, HasMemoryForAllChunks) {
  merge::Balance balance{};
  Index before = 0;
  for (Index tiles = 1; tiles < 70'000; ++tiles) {
    balance.tiles = tiles;
    const Index capacity = merge::Balance::chunk_capacity(tiles);
    ASSERT_GE(capacity, before) << tiles << " tiles";
    before = capacity;
    // The number of tiles per chunk depends on whether at least an eighth of the tiles export
    // items.
    for (const Index excess_tiles :
         {tiles, tiles - 1, tiles / 8, tiles / 8 - (tiles >= 8 ? 1 : 0)}) {
      ASSERT_LE(balance.more_chunks(excess_tiles), capacity)
          << tiles << " tiles, of which " << excess_tiles << " hand on";
    }
  }
}

TEST_F(GpuMerge, RefusesFloatingPointArithmetic) { EXPECT_THROW(AliasTableMergeGpu({}), Error); }

}  // namespace
}  // namespace wrsgpu
