#include "wrsgpu/detail/build/merge_builder.cuh"

#include <algorithm>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/following_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/lane_sweep/remaining_rows.cuh"
#include "wrsgpu/detail/merge/tile_kernel.cuh"

namespace wrsgpu {
namespace {

/// Launches what makes the rows of balanced tiles by a merge.
template <class T>
void merge_rows(std::span<const T> w, const merge::BalancedTiles& balanced,
                const DeviceWeightSummary* summary, DeviceTable& table, DeviceArena& arena,
                cudaStream_t stream) {
  const auto items = static_cast<Index>(w.size());
  const auto& [tiles, balance] = balanced;
  const auto handed_on = merge::HandedOn::take(arena, items);
  if (!arena.has_block()) return;
  table.visit([&]<class Rows>(const Rows& rows) {
    const auto make_rows = [&]<class Shape>(Shape /*shape*/) {
      launch_following(merge::make_rows<T, Rows, Shape>, {balance.most_blocks(), Shape::threads},
                       stream, w.data(), items, tiles, summary, balance, handed_on, rows);
      check_launch("merge::make_rows");
      constexpr Index tiles_of_block = merge::store_block_threads / Shape::store_threads;
      launch_following(merge::store_handed_on<Rows, Shape::store_threads>,
                       {blocks_for(balance.tiles, tiles_of_block), merge::store_block_threads},
                       stream, balance, handed_on, rows);
      check_launch("merge::store_handed_on");
    };
    if (are_few(balance.tiles)) {
      make_rows(merge::TileShape<few_tiles_threads>{});
    } else {
      make_rows(merge::TileShape<mass_tile_threads>{});
    }
  });
}

/// Tiles of weights, and what warp-parallel pairing needs besides (device memory).
struct TilesToSweep {
  SweepStart start;
  lane_sweep::RowMask* gone;
  lane_sweep::Task* crowded;
  merge::BalancedTiles balanced;
};

/// Launches the pass that checks and sums the weights, and the balance of their tiles.
template <class T>
[[nodiscard]] TilesToSweep tiles_to_sweep(std::span<const T> w, DeviceWeightSummary* summary,
                                          DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(w.size());
  const SweepStart start{arena.take<std::uint8_t>(std::size_t{count} * lane_sweep::candidate_bytes),
                         arena.take<Index>(1)};
  auto* const gone = arena.take<lane_sweep::RowMask>(std::size_t{count} * lane_sweep::tile_masks);
  auto* const crowded = arena.take<lane_sweep::Task>(lane_sweep::most_crowded(count));
  return {start, gone, crowded, merge::balance_tiles(w, summary, arena, stream, &start)};
}

/// Launches what makes the rows of these tiles.
template <class T>
void sweep_rows(std::span<const T> w, const TilesToSweep& to_sweep,
                const DeviceWeightSummary* summary, DeviceTable& table, DeviceArena& arena,
                cudaStream_t stream) {
  const auto items = static_cast<Index>(w.size());
  const auto& [tiles, balance] = to_sweep.balanced;
  // Lanes sweep, or a merge makes the table: what is handed on is never kept for both.
  auto* const memory = arena.take<std::byte>(
      std::max(merge::HandedOn::bytes(items), lane_sweep::HandedOn::bytes(balance.tiles)));
  if (!arena.has_block()) return;
  table.visit([&]<class Rows>(const Rows& rows) {
    const lane_sweep::SweepInput<T> input{
        .weights = w.data(),
        .items = items,
        .balance = balance,
        .candidates = to_sweep.start.candidates,
        .taken = to_sweep.start.taken,
        .handed_on = lane_sweep::HandedOn::at(memory, balance.tiles),
        .gone = to_sweep.gone,
        .crowded = to_sweep.crowded};
    const auto processors = static_cast<Index>(device_attribute(cudaDevAttrMultiProcessorCount));
    constexpr auto sweep = lane_sweep::make_rows<T, Rows>;
    launch_following(sweep,
                     {std::min(balance.tiles, blocks_that_fill(sweep, lane_sweep::block_threads)),
                      lane_sweep::block_threads},
                     stream, input, rows);
    check_launch("lane_sweep::make_rows");
    // Blocks that find nothing to do take their time to start, so they are few.
    using Shape = merge::TileShape<mass_tile_threads>;
    launch_following(
        lane_sweep::make_remaining_rows<T, Rows, Shape>,
        {std::min(balance.most_blocks(), processors * Shape::resident_blocks), Shape::threads},
        stream, input, tiles, summary, merge::HandedOn::at(memory, items), rows);
    check_launch("lane_sweep::make_remaining_rows");
  });
}

}  // namespace

DeviceTableBuilder::WriteRows launch_merge_sums(TableForm form, WeightsView weights,
                                                DeviceWeightSummary* summary, DeviceArena& arena,
                                                cudaStream_t stream) {
  return weights.visit([&](auto w) -> DeviceTableBuilder::WriteRows {
    if (is_swept(form, w.size())) {
      const TilesToSweep to_sweep = tiles_to_sweep(w, summary, arena, stream);
      return [=](DeviceTable& table, DeviceArena& more) {
        sweep_rows(w, to_sweep, summary, table, more, stream);
      };
    }
    const merge::BalancedTiles balanced = merge::balance_tiles(w, summary, arena, stream);
    return [=](DeviceTable& table, DeviceArena& more) {
      merge_rows(w, balanced, summary, table, more, stream);
    };
  });
}

void require_fixed_point(const TableOptions& options) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("method gpu_merge does not compute in floating arithmetic; use fixed_point");
}

MergeBuilder::MergeBuilder(TableOptions options, TableForm form)
    : DeviceTableBuilder(options), form_(form) {
  require_fixed_point(options);
}

}  // namespace wrsgpu
