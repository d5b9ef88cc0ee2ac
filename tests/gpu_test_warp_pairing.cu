// The warp-parallel table: equal to that of the host bit for bit, for any order of blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gpu_graph.cuh"
#include "gpu_held_room.cuh"
#include "gpu_table_of_the_host.cuh"
#include "gpu_test.hpp"
#include "overflow_tile_weights.hpp"
#include "tied_tiles.hpp"
#include "tile_layouts.hpp"
#include "verification/brief.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/side_stream.cuh"

namespace wrsgpu {
namespace {

using GpuWarpPairing = GpuTest;
using verification::is_brief;

/// Weights in device memory, from which a warp-parallel table is built repeatedly, and its expected
/// rows.
class Expected {
 public:
  explicit Expected(const std::vector<float>& weights) : weights_(on_device(weights)) {
    TiledSweep host(options, TableForm::warp_parallel);
    host.build(weights);
    rows_ = host.to_host();
  }
  [[nodiscard]] WeightsView weights() const { return WeightsView::on_device(weights_.span()); }
  void expect_rows_of(const AliasTableMergeGpu& table) const {
    expect_same_rows(table.to_host(), rows_);
  }

  static constexpr TableOptions options{Arithmetic::fixed_point, Layout::compact_rows, 0};

 private:
  DeviceBuffer<float> weights_;
  HostTable rows_;
};

[[nodiscard]] std::vector<float> reversed(const std::vector<float>& weights) {
  return {weights.rbegin(), weights.rend()};
}
/// Weights that warp-parallel pairing does not support.
[[nodiscard]] std::vector<float> ramp(Index n) {
  const std::vector<double> weights = verification::find_weight_family("ramp").make(n);
  return {weights.begin(), weights.end()};
}

/// Expects the table of the host: warp-parallel if `swept`, else the merge-path one.
template <class T>
void expect_form(const std::vector<T>& weights, bool swept) {
  expect_table_of_the_host(Layout::compact_rows, weights, TableForm::warp_parallel);
  const bool is_merged = rows_of_form(weights, TableForm::merge_path) ==
                         rows_of_form(weights, TableForm::warp_parallel);
  EXPECT_EQ(!is_merged, swept);
}

// Otherwise only merge-path tables would be compared.
TEST_F(GpuWarpPairing, SweepsWeightsThatAreSupported) {
  const std::vector<double> weights = uniform_weights(100'003, 1);
  EXPECT_NE(rows_of_form(weights, TableForm::merge_path),
            rows_of_form(weights, TableForm::warp_parallel));
  // The last group is partial, and its weights differ only in the last three bits.
  std::vector<float> denormal(2048, 0x1p-149F);
  denormal.insert(denormal.end(), {0.0F, -0.0F, 7 * 0x1p-149F});
  expect_table_of_the_host(Layout::compact_rows, denormal, TableForm::warp_parallel);
  // Weights that are not aligned to 16 bytes.
  std::vector<float> beside(20'012);
  for (Index i = 0; i < beside.size(); ++i) beside[i] = static_cast<float>(weights[i]);
  const DeviceBuffer<float> device = on_device(beside);
  const TableOptions options{Arithmetic::fixed_point, Layout::compact_rows, 1};
  AliasTableMergeGpu swept(options, TableForm::warp_parallel);
  swept.build(WeightsView::on_device(device.span().subspan(1)));
  const std::vector<float> unaligned(beside.begin() + 1, beside.end());
  TiledSweep host(options, TableForm::warp_parallel);
  host.build(unaligned);
  expect_same_rows(swept.to_host(), host.table());
}

// The search for the donors of a tile starts at the position expected for weights in random order:
// after about as many tiles with an excess as precede the tile. Here all of these lie on one side
// of the tiles with a deficit.
TEST_F(GpuWarpPairing, FindsDistantDonors) {
  for (const bool from_the_front : {true, false}) {
    std::vector<double> weights = uniform_weights(2'000'000, 2);
    for (Index i = 0; i < weights.size(); ++i) {
      weights[i] *= (i < weights.size() / 2) == from_the_front ? 1.01 : 0.99;
    }
    expect_form(weights, true);
  }
}

// Two neighbouring tiles that would export one item more than each has places for if the minimum of
// an item were rounded down.
TEST_F(GpuWarpPairing, ExportsNoMoreItemsThanThereArePlacesFor) {
  std::vector<float> weights(6 * std::size_t{mass_tile_items}, 7);
  for (Index i = 0; i < weights.size(); ++i) {
    const Index place = i % mass_tile_items;
    const bool has_excess = i < 2 * mass_tile_items;
    if (has_excess && place < 1200 && place % 8 < 2) weights[i] = 9;  // 300 items
    if (place >= mass_tile_items - (has_excess ? 44 : 128)) weights[i] = 5;
  }
  for (const TableForm form : {TableForm::merge_path, TableForm::warp_parallel}) {
    expect_table_of_the_host(Layout::compact_rows, weights, form);
  }
}

TEST_F(GpuWarpPairing, GoesThroughTheOtherItemsThreeTimes) {
  expect_form(verification::items_of_sizes(4), true);
  expect_form(verification::items_of_sizes(5), false);
}

TEST_F(GpuWarpPairing, ExportsItemsThatEndWhereWhatATileLacksDoes) {
  for (const bool donor_is_last : {false, true}) {
    for (const Index excess : {16U, 300U}) {
      SCOPED_TRACE(std::to_string(excess) + (donor_is_last ? " of the last" : " of the first"));
      expect_form(tied_tiles(donor_is_last, excess), true);
    }
  }
}

/// Tiles of weight 1, one of which receives 1 to `maximum` items from each of the others.
[[nodiscard]] std::vector<float> weights_of_donors(Index donors, Index maximum) {
  const Index receiver = donors / 3;
  std::vector<float> weights((donors + std::size_t{1}) * mass_tile_items, 1);
  Index exported = 0;
  for (Index tile = 0; tile <= donors; ++tile) {
    if (tile == receiver) continue;
    const Index count = 1 + (tile * 7 + tile / 5) % maximum;
    for (Index k = 0; k < count; ++k) {
      const Index place = (tile * 37 + k * 311) % mass_tile_items;
      weights[std::size_t{tile} * mass_tile_items + place] = 2;
    }
    exported += count;
  }
  for (Index k = 0; k < exported; ++k) {
    weights[std::size_t{receiver} * mass_tile_items + (k * 11 + 3) % mass_tile_items] = 0;
  }
  return weights;
}

// After the first two donors, the numbers of exported items are read for 32 donors at once.
TEST_F(GpuWarpPairing, ReceivesFromMoreTilesThanThereAreLanes) {
  struct Case {
    Index donors, maximum;
  };
  for (const auto& [donors, maximum] :
       {Case{33, 4}, Case{34, 4}, Case{35, 4}, Case{66, 2}, Case{67, 2}, Case{100, 2}, Case{160, 1},
        Case{161, 1}, Case{512, 1}}) {
    SCOPED_TRACE(std::to_string(donors) + " donors");
    const std::vector<float> weights = weights_of_donors(donors, maximum);
    for (const Layout layout :
         {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
      expect_table_of_the_host(layout, weights, TableForm::warp_parallel);
    }
    EXPECT_NE(rows_of_form(weights, TableForm::merge_path),
              rows_of_form(weights, TableForm::warp_parallel));
    if (HasFailure()) return;
  }
  // More items than a tile may receive.
  expect_form(weights_of_donors(513, 1), false);
}

// The items that these tiles receive do not fit where all other tiles are paired, so they are
// processed afterwards.
TEST_F(GpuWarpPairing, SweepsOverflowTiles) {
  for (const Index count : {160U, 161U, 300U, 512U}) {
    SCOPED_TRACE(std::to_string(count) + " items received");
    const std::vector<double> weights = overflow_tile_weights(3, 40, count);
    for (const Layout layout :
         {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
      expect_table_of_the_host(layout, weights, TableForm::warp_parallel);
    }
    const std::vector<float> floats(weights.begin(), weights.end());
    expect_table_of_the_host(Layout::compact_rows, floats, TableForm::warp_parallel);
    EXPECT_NE(rows_of_form(weights, TableForm::merge_path),
              rows_of_form(weights, TableForm::warp_parallel));
  }
}

// If there are more overflow tiles than supported, the table is the merge-path one.
TEST_F(GpuWarpPairing, SweepsOneOverflowTileOfSixteen) {
  for (const Residual residual : {Residual::none, Residual::of_an_item}) {
    SCOPED_TRACE(residual == Residual::none ? "whole items" : "and a piece");
    expect_form(overflow_tile_weights(2, 16, 160, residual), true);
    expect_form(overflow_tile_weights(2, 16, 161, residual), false);
    expect_form(overflow_tile_weights(2, 17, 161, residual), true);
    expect_form(overflow_tile_weights(3, 32, 161, residual), false);
    expect_form(overflow_tile_weights(3, 33, 161, residual), true);
    expect_form(overflow_tile_weights(1, 8, 512, residual), true);
    expect_form(overflow_tile_weights(1, 8, 513, residual), false);
  }
  expect_form(overflow_tiles_after_one(2, 16, 161), false);
  expect_form(overflow_tiles_after_one(2, 17, 161), true);
  expect_form(with_overflow_end(overflow_tile_weights(1, 13, 161), 161, 1000), false);
  expect_form(with_overflow_end(overflow_tile_weights(1, 15, 161), 161, 1000), true);
}

/// Uniform weights; every `one_of`-th tile has a sixth less.
[[nodiscard]] std::vector<float> with_overflow_tiles(Index n, Index one_of) {
  std::vector<float> weights = uniform_floats(n);
  for (Index i = 0; i < n; ++i) {
    if (i / mass_tile_items % one_of == one_of - 1) weights[i] *= 5.0F / 6;
  }
  return weights;
}

// The last tile is partial. One overflow tile in twenty is supported, one in ten is not.
TEST_F(GpuWarpPairing, SweepsManyOverflowTiles) {
  constexpr Index n = 1'000 * mass_tile_items - 700;
  for (const Index one_of : {20U, 10U}) {
    SCOPED_TRACE("one of " + std::to_string(one_of));
    expect_form(with_overflow_tiles(n, one_of), one_of == 20);
  }
}

// A tile waits for its third and later donors after it has computed its masses. These donors find
// one of their two items only after examining all.
TEST_F(GpuWarpPairing, WaitsForTilesThatChooseLate) {
  for (const Index late : {3U, 20U, 40U, 70U}) {
    SCOPED_TRACE(std::to_string(late) + " tiles choose late");
    std::vector<float> weights((late + std::size_t{3}) * mass_tile_items, 1);
    const auto tile = [&](Index number) {
      return weights.begin() + std::ptrdiff_t{number} * mass_tile_items;
    };
    tile(0)[100] = 2;
    tile(1)[100] = 2;
    for (Index number = 2; number < late + 2; ++number) std::fill_n(tile(number) + 2046, 2, 2.0F);
    for (Index k = 0; k < 2 * late + 2; ++k) tile(late + 2)[k * 11 + 3] = 0;
    const Expected expected(weights);
    AliasTableMergeGpu gpu(Expected::options, TableForm::warp_parallel);
    const std::vector<float> others = reversed(weights);
    for (int again = 0; again < 10; ++again) {
      gpu.build(others);
      gpu.build(weights);
      expected.expect_rows_of(gpu);
      if (HasFailure()) return;
    }
    EXPECT_NE(rows_of_form(weights, TableForm::merge_path), plain_rows(gpu));
  }
}

// The mass of the item exceeds 52 bits, and rounding leaves so many units that light items in both
// halves of its tile must give them.
TEST_F(GpuWarpPairing, OneItemThatHasMostOfTheMass) {
  std::vector<float> weights = uniform_floats(1U << 25);
  for (float& weight : weights) weight *= weight * weight;  // so that other items are heavy, too
  constexpr Index giant = 12'345'678;
  weights[giant] = 2e7;
  std::fill_n(weights.begin() + giant + 1, 680, 0.0F);  // leaves too few light items in its half
  expect_table_of_the_host(Layout::compact_rows, weights, TableForm::warp_parallel);
  const std::vector<PlainRow> swept = rows_of_form(weights, TableForm::warp_parallel);
  EXPECT_NE(swept, rows_of_form(weights, TableForm::merge_path));
}

TEST_F(GpuWarpPairing, EqualWeights) {
  for (const Index n : {9'000'001U, 20'000'000U}) {
    expect_table_of_the_host(Layout::compact_rows, std::vector<float>(n, 1),
                             TableForm::warp_parallel);
  }
}

TEST_F(GpuWarpPairing, FollowsInvalidWeights) {
  constexpr Index n = 9'000'001;
  const std::vector<float> weights = uniform_floats(n);
  const Expected valid(weights);
  AliasTableMergeGpu table(Expected::options, TableForm::warp_parallel);
  table.reserve(n, valid.weights().type());
  const SideStream stream;
  const auto with = [&](Index item, float weight) {
    std::vector<float> invalid = weights;
    invalid[item] = weight;
    return invalid;
  };
  for (const std::vector<float>& host :
       {with(n / 2, NAN), with(n - 1, INFINITY), with(0, -1), std::vector<float>(n)}) {
    const DeviceBuffer<float> device = on_device(host);
    const WeightsView invalid = WeightsView::on_device(device.span());
    table.construct(invalid, stream.get());
    EXPECT_THROW(table.finish(invalid, stream.get()), Error);
    // No synchronisation in between.
    table.construct(invalid, stream.get());
    table.construct(valid.weights(), stream.get());
    table.finish(valid.weights(), stream.get());
    valid.expect_rows_of(table);
    if (HasFailure()) return;
  }
}

// A kernel may start before the previous one has ended, and all builds share the storage.
TEST_F(GpuWarpPairing, BackToBackBuilds) {
  constexpr Index n = 10'000'019;
  const std::vector<float> weights = uniform_floats(n);
  const Expected one(weights);
  const Expected other(with_overflow_tiles(n, 30));
  const DeviceBuffer<float> unsupported = on_device(ramp(n));
  const DeviceBuffer<float> overflow_tiles = on_device(with_overflow_tiles(n, 20));
  AliasTableMergeGpu table(Expected::options, TableForm::warp_parallel);
  table.reserve(n, one.weights().type());
  const SideStream stream;
  for (int round = 0; round < (is_brief() ? 2 : 6); ++round) {
    for (int k = 0; k < (is_brief() ? 2 : 30); ++k) {
      table.construct(one.weights(), stream.get());
      table.construct(WeightsView::on_device(unsupported.span()), stream.get());
      table.construct(WeightsView::on_device(overflow_tiles.span()), stream.get());
      table.construct(other.weights(), stream.get());
    }
    const Expected& last = round % 2 == 0 ? one : other;
    table.construct(last.weights(), stream.get());
    table.finish(last.weights(), stream.get());
    last.expect_rows_of(table);
    if (HasFailure()) return;
  }
}

// Blocks of both builds wait for other blocks, and neither build has all of its blocks resident.
TEST_F(GpuWarpPairing, OnTwoStreamsAtOnce) {
  constexpr Index n = 10'000'019;
  const std::vector<float> weights = uniform_floats(n);
  const Expected expected[] = {Expected(weights), Expected(reversed(weights))};
  AliasTableMergeGpu tables[] = {AliasTableMergeGpu(Expected::options, TableForm::warp_parallel),
                                 AliasTableMergeGpu(Expected::options, TableForm::warp_parallel)};
  for (AliasTableMergeGpu& table : tables) table.reserve(n, expected[0].weights().type());
  const SideStream streams[2];
  for (int round = 0; round < (is_brief() ? 1 : 5); ++round) {
    for (int k = 0; k < (is_brief() ? 3 : 50); ++k) {
      for (const int t : {0, 1}) tables[t].construct(expected[t].weights(), streams[t].get());
    }
    for (const int t : {0, 1}) {
      tables[t].finish(expected[t].weights(), streams[t].get());
      expected[t].expect_rows_of(tables[t]);
    }
    if (HasFailure()) return;
  }
}

// Tiles are balanced by a block, a cluster, and a grid.
TEST_F(GpuWarpPairing, FromAGraph) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  for (const Index n : {2'000'003U, 9'000'001U, 20'000'001U}) {
    const std::vector<float> weights = uniform_floats(n);
    const std::vector<float> others = reversed(weights);
    const Expected one(weights);
    const Expected other(others);
    DeviceBuffer<float> device(n);
    const WeightsView view = WeightsView::on_device(std::as_const(device).span());
    AliasTableMergeGpu table(Expected::options, TableForm::warp_parallel);
    table.reserve(n, view.type());
    const Graph graph([&](cudaStream_t stream) { table.construct(view, stream); });
    for (int k = 0; k < (is_brief() ? 2 : 4); ++k) {
      const bool is_one = k % 2 == 0;
      copy_to_device(std::span<const float>(is_one ? weights : others), device.data());
      for (int again = 0; again < (is_brief() ? 2 : 20); ++again) {
        static_cast<void>(graph.launch());
      }
      table.finish(view, graph.launch());
      (is_one ? one : other).expect_rows_of(table);
      if (HasFailure()) return;
    }
  }
}

// Blocks wait for each other, but few are resident at once: four, and then two, of twelve per
// multiprocessor. A block must never wait for one that has not started.
TEST_F(GpuWarpPairing, LargeTablesWhereThereIsRoomForFewBlocks) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, and so for those that hold the room";
#endif
  if (device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) < 228 * 1024) {
    GTEST_SKIP() << "needs 228 KiB of shared memory a multiprocessor";
  }
  constexpr Index n = warp_pairing::threshold_items;
  const std::vector<float> weights = uniform_floats(n);
  for (const std::vector<float>& host : {weights, ramp(n)}) {
    const Expected expected(host);
    AliasTableMergeGpu table(Expected::options, TableForm::warp_parallel);
    // Loads all kernels, and reserves memory.
    table.build(reversed(weights));
    table.build(ramp(n));
    for (const int held_kib : {140, 180}) {
      SCOPED_TRACE(std::to_string(held_kib) + " KiB are held");
      const SideStream stream;
      bool is_built = false;
      {
        const HeldRoom held(held_kib * 1024);
        ASSERT_TRUE(held.is_held());
        table.construct(expected.weights(), stream.get());
        is_built = comes_soon([&] { return cudaStreamQuery(stream.get()) == cudaSuccess; });
      }
      EXPECT_TRUE(is_built);
      table.finish(expected.weights(), stream.get());
      expected.expect_rows_of(table);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace wrsgpu
