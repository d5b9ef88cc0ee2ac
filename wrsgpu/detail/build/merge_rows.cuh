// Launches the kernels that make the rows of balanced tiles, for each type of weights and of rows.
// merge_rows.cu instantiates the library's compact rows; other layouts are instantiated by their
// owners.
#pragma once

#include <algorithm>
#include <span>

#include "wrsgpu/detail/build/device_table_builder.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"
#include "wrsgpu/detail/merge/single_tile.cuh"
#include "wrsgpu/detail/merge/tile_kernel.cuh"
#include "wrsgpu/detail/warp_pairing/remaining_rows.cuh"

namespace wrsgpu::detail {

/// Launches the merge-path kernels that make the rows of balanced tiles, with temporary storage in
/// `exported`.
template <class T, class Rows>
void merge_rows(std::span<const T> w, const merge::BalancedTiles& balanced,
                const merge::MergeExports& exported, const DeviceWeightSummary* summary,
                const Rows& rows, cudaStream_t stream) {
  const auto& [tiles, balance] = balanced;
  const auto make_rows = [&]<class Shape>(Shape /*shape*/) {
    launch_programmatic(merge::make_rows<T, Rows, Shape>, {balance.max_blocks(), Shape::threads},
                        stream, w.data(), tiles, summary, balance, exported, rows);
    check_launch("merge::make_rows");
    constexpr Index tiles_of_block = merge::store_block_threads / Shape::store_threads;
    launch_programmatic(merge::store_handed_on<Rows, Shape::store_threads>,
                        {blocks_for(balance.tiles, tiles_of_block), merge::store_block_threads},
                        stream, balance, exported, rows);
    check_launch("merge::store_handed_on");
  };
  if (are_few(balance.tiles)) {
    make_rows(merge::TileShape<few_tiles_threads>{});
  } else {
    make_rows(merge::TileShape<mass_tile_threads>{});
  }
}

/// Launches the kernel that builds a table of a single tile.
template <class T, class Rows>
void single_tile_rows(std::span<const T> w, MassTile* tile, DeviceWeightSummary* summary,
                      const Rows& rows, cudaStream_t stream) {
  launch_programmatic(merge::build_single_tile<T, Rows>, {1, few_tiles_threads}, stream, w.data(),
                      static_cast<Index>(w.size()), tile, summary, rows);
  check_launch("merge::build_single_tile");
}

/// Tiles of weights, and the additional input of warp-parallel pairing (device memory).
struct TilesToSweep {
  SweepStart start;
  warp_pairing::RowMask* exported_mask;
  warp_pairing::PairingTask* overflow_tiles;
  merge::BalancedTiles balanced;
};

/// Launches the kernels that make the rows of these tiles. `memory` has room for the exports of
/// either form.
template <class T, class Rows>
void sweep_rows(std::span<const T> w, const TilesToSweep& to_sweep, std::byte* memory,
                const DeviceWeightSummary* summary, const Rows& rows, cudaStream_t stream) {
  const auto items = static_cast<Index>(w.size());
  const auto& [tiles, balance] = to_sweep.balanced;
  const warp_pairing::SweepInput<T> input{
      .weights = w.data(),
      .items = items,
      .balance = balance,
      .candidates = to_sweep.start.candidates,
      .taken = to_sweep.start.taken,
      .exported = warp_pairing::PairingExports::at(memory, balance.tiles),
      .exported_mask = to_sweep.exported_mask,
      .overflow_tiles = to_sweep.overflow_tiles};
  const auto processors = static_cast<Index>(device_attribute(cudaDevAttrMultiProcessorCount));
  constexpr auto sweep = warp_pairing::make_rows<T, Rows>;
  launch_programmatic(
      sweep,
      {std::min(balance.tiles, blocks_that_fill(sweep, warp_pairing::block_threads)),
       warp_pairing::block_threads},
      stream, input, rows);
  check_launch("warp_pairing::make_rows");
  // Starting idle blocks takes time too, so there are few of them.
  using Shape = merge::TileShape<mass_tile_threads>;
  launch_programmatic(
      warp_pairing::make_remaining_rows<T, Rows, Shape>,
      {std::min(balance.max_blocks(), processors * Shape::resident_blocks), Shape::threads}, stream,
      input, tiles, summary, merge::MergeExports::at(memory, items), rows);
  check_launch("warp_pairing::make_remaining_rows");
}

// The library's rows, instantiated in merge_rows.cu.
extern template void merge_rows<float, CompactRows>(std::span<const float>,
                                                    const merge::BalancedTiles&,
                                                    const merge::MergeExports&,
                                                    const DeviceWeightSummary*, const CompactRows&,
                                                    cudaStream_t);
extern template void merge_rows<double, CompactRows>(std::span<const double>,
                                                     const merge::BalancedTiles&,
                                                     const merge::MergeExports&,
                                                     const DeviceWeightSummary*, const CompactRows&,
                                                     cudaStream_t);
extern template void sweep_rows<float, CompactRows>(std::span<const float>, const TilesToSweep&,
                                                    std::byte*, const DeviceWeightSummary*,
                                                    const CompactRows&, cudaStream_t);
extern template void sweep_rows<double, CompactRows>(std::span<const double>, const TilesToSweep&,
                                                     std::byte*, const DeviceWeightSummary*,
                                                     const CompactRows&, cudaStream_t);

/// Launches the pass that checks and sums the weights, and the balance of their tiles.
[[nodiscard]] TilesToSweep tiles_to_sweep(std::span<const float> w, DeviceWeightSummary* summary,
                                          DeviceArena& arena, cudaStream_t stream);
[[nodiscard]] TilesToSweep tiles_to_sweep(std::span<const double> w, DeviceWeightSummary* summary,
                                          DeviceArena& arena, cudaStream_t stream);

/// The tiles of weights (device memory), and what launches the kernels that make their rows.
struct MergeSums {
  DeviceMassTiles tiles;
  DeviceTableBuilder::WriteRows write_rows;
};

/// Launches the pass that checks and sums the weights. The rows are of the layouts that
/// `visit(table, use)` calls `use(rows)` with.
template <class Visit>
[[nodiscard]] MergeSums launch_merge_sums_for(const Visit& visit, TableForm form,
                                              WeightsView weights, DeviceWeightSummary* summary,
                                              DeviceArena& arena, cudaStream_t stream) {
  return weights.visit([&](auto w) -> MergeSums {
    const auto items = static_cast<Index>(w.size());
    if (is_warp_parallel(form, w.size())) {
      const TilesToSweep to_sweep = tiles_to_sweep(w, summary, arena, stream);
      const auto write_rows = [=](DeviceTable& table, DeviceArena& more) {
        // Either warp-parallel pairing or the merge makes the table, so the two share the memory
        // for exports.
        auto* const memory = more.take<std::byte>(
            std::max(merge::MergeExports::bytes(items),
                     warp_pairing::PairingExports::bytes(to_sweep.balanced.balance.tiles)));
        if (!more.has_block()) return;
        visit(table,
              [&](const auto& rows) { sweep_rows(w, to_sweep, memory, summary, rows, stream); });
      };
      return {to_sweep.balanced.mass_tiles(), write_rows};
    }
    const merge::BalancedTiles balanced = merge::balance_tiles(w, summary, arena, stream);
    const auto write_rows = [=](DeviceTable& table, DeviceArena& more) {
      const auto exported = merge::MergeExports::take(more, items);
      if (!more.has_block()) return;
      visit(table,
            [&](const auto& rows) { merge_rows(w, balanced, exported, summary, rows, stream); });
    };
    return {balanced.mass_tiles(), write_rows};
  });
}

/// Launches all of the construction of a table of a single tile. Returns the tile, or null if there
/// are more.
template <class Visit>
[[nodiscard]] const MassTile* launch_single_tile_for(const Visit& visit, TableForm form,
                                                     WeightsView weights, DeviceTable& table,
                                                     DeviceWeightSummary* summary,
                                                     DeviceArena& arena, cudaStream_t stream) {
  if (is_warp_parallel(form, weights.size()) || weights.size() > mass_tile_items) return nullptr;
  auto* const tile = arena.take<MassTile>(1);
  weights.visit([&](auto w) {
    visit(table, [&](const auto& rows) { single_tile_rows(w, tile, summary, rows, stream); });
  });
  return tile;
}

}  // namespace wrsgpu::detail
