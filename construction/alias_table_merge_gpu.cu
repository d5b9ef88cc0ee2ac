#include "wrsgpu/construction/alias_table_merge_gpu.cuh"

#include <algorithm>

#include "wrsgpu/construction/lane_sweep/kernel.cuh"
#include "wrsgpu/construction/merge/tile_kernel.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/following_launch.cuh"

namespace wrsgpu {

AliasTableMergeGpu::AliasTableMergeGpu(TableOptions options, TableForm form)
    : GpuAliasTable(options), form_(form) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("method gpu_merge does not compute in floating arithmetic");
}

void AliasTableMergeGpu::launch(WeightsView weights, DeviceWeightSummary* summary,
                                DeviceTable& table, DeviceArena& arena, cudaStream_t stream) const {
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto items = static_cast<Index>(w.size());
    const Index count = mass_tile_count(items);
    const bool lanes_sweep = form_ == TableForm::swept;
    auto* const candidates = arena.take<std::uint8_t>(
        lanes_sweep ? std::size_t{count} * lane_sweep::candidate_bytes : 0);
    const auto tasks = lane_sweep::Tasks::take(arena, lanes_sweep ? count : 0);
    auto* tiles = arena.take<MassTile>(count);
    const SummedTile* const summed =
        sum_tiles_on_device(w, arena, stream, lanes_sweep ? candidates : nullptr);
    const merge::Balance balance =
        merge::finish_and_balance(summed, items, tiles, summary, arena, stream);
    // Lanes sweep, or a merge makes the table: what is handed on is never kept for both.
    const std::size_t handed_on_bytes =
        std::max(merge::HandedOn::bytes(items),
                 lanes_sweep ? lane_sweep::HandedOn::bytes(count) : std::size_t{0});
    auto* const handed_on_memory = arena.take<std::byte>(handed_on_bytes);
    if (!arena.has_block()) return;
    table.visit([&]<class Rows>(const Rows& rows) {
      // Blocks that find nothing to do take their time to start, so where that may be they are few.
      const auto processors = static_cast<Index>(device_attribute(cudaDevAttrMultiProcessorCount));
      if (lanes_sweep) {
        const auto handed_on = lane_sweep::HandedOn::at(handed_on_memory, count);
        lane_sweep::choose(w, tiles, balance, candidates, handed_on, tasks, stream);
        launch_following(lane_sweep::make_rows<T, Rows>,
                         std::min(count, processors * lane_sweep::resident_tiles),
                         lane_sweep::block_threads, stream, w.data(), items, balance, handed_on,
                         tasks, rows);
        check_launch("lane_sweep::make_rows");
      }
      const auto handed_on = merge::HandedOn::at(handed_on_memory, items);
      const auto make_rows = [&]<class Shape>(Shape /*shape*/) {
        constexpr Index tiles_of_block = merge::store_block_threads / Shape::store_threads;
        Index store_blocks = blocks_for(count, tiles_of_block);
        if (lanes_sweep) {
          merge::launch_if_unsuited<T, Rows, Shape>(w.data(), items, tiles, summary, balance,
                                                    handed_on, rows, stream);
          constexpr Index resident_store_blocks = 4;
          store_blocks = std::min(store_blocks, processors * resident_store_blocks);
        } else {
          launch_following(merge::make_rows<T, Rows, Shape>, balance.most_blocks(), Shape::threads,
                           stream, w.data(), items, tiles, summary, balance, handed_on, rows);
          check_launch("merge::make_rows");
        }
        launch_following(merge::store_handed_on<Rows, Shape::store_threads>, store_blocks,
                         merge::store_block_threads, stream, balance, handed_on, rows, lanes_sweep);
        check_launch("merge::store_handed_on");
      };
      if (are_few(count)) {
        make_rows(merge::TileShape<few_tiles_threads>{});
      } else {
        make_rows(merge::TileShape<mass_tile_threads>{});
      }
    });
  });
}

}  // namespace wrsgpu
