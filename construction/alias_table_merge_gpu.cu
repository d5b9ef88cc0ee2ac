#include "wrsgpu/construction/alias_table_merge_gpu.cuh"

#include "wrsgpu/construction/merge/tile_kernel.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/following_launch.cuh"

namespace wrsgpu {

AliasTableMergeGpu::AliasTableMergeGpu(TableOptions options) : GpuAliasTable(options) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("method gpu_merge does not compute in floating arithmetic");
}

void AliasTableMergeGpu::launch(WeightsView weights, DeviceWeightSummary* summary,
                                DeviceTable& table, DeviceArena& arena, cudaStream_t stream) const {
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto items = static_cast<Index>(w.size());
    const Index count = mass_tile_count(items);
    auto* tiles = arena.take<MassTile>(count);
    const SummedTile* const summed = sum_tiles_on_device(w, arena, stream);
    const merge::Balance balance =
        merge::finish_and_balance(summed, items, tiles, summary, arena, stream);
    const auto handed_on = merge::HandedOn::take(arena, items);
    if (!arena.has_block()) return;
    table.visit([&]<class Rows>(const Rows& rows) {
      const auto make_rows = [&]<class Shape>(Shape /*shape*/) {
        launch_following(merge::make_rows<T, Rows, Shape>, balance.most_blocks(), Shape::threads,
                         stream, w.data(), items, tiles, summary, balance, handed_on, rows);
        check_launch("merge::make_rows");
        constexpr Index tiles_of_block = merge::store_block_threads / Shape::store_threads;
        launch_following(merge::store_handed_on<Rows, Shape::store_threads>,
                         blocks_for(count, tiles_of_block), merge::store_block_threads, stream,
                         balance, handed_on, rows);
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
