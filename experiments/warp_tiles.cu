// A form of the merge that is not in the library, since it is for some weights only
// (docs/merge_construction.md, "What limits it"): a warp makes the rows of a tile, by sweeps over
// strips and a merge of what these leave. For floats into compact rows, whole tiles, no weight 0,
// and weights of which sweeps leave little. Names: construct/warp_tiles/<distribution>/<N>.
#include <memory>
#include <string>

#include "experiments/common/exact_builds.hpp"
#include "experiments/warp_tiles/warp_tile.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/programmatic_launch.cuh"

namespace wrsgpu::experiments {
namespace {

/// Built as `AliasTableMergeGpu` is, but for the rows of tiles. Throws `Error` where a tile has no
/// room for what is left, as of equal weights; that no weight is 0 only a verification shows.
class WarpTilesTable final : public GpuAliasTable {
 public:
  WarpTilesTable()
      : GpuAliasTable({Arithmetic::fixed_point, Layout::compact_rows, 0}), without_room_(1) {}

 private:
  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override {
    return weights.visit([&]<class T>(std::span<const T> w) -> WriteRows {
      if constexpr (std::is_same_v<T, float>) {
        if (w.size() % mass_tile_items > 0) throw Error("this form takes multiples of 2,048 items");
        const merge::BalancedTiles balanced = merge::balance_tiles(w, summary, arena, stream);
        return [=, this](DeviceTable& table, DeviceArena& more) {
          write_rows(w, balanced, table, more, stream);
        };
      } else {
        throw Error("this form takes floats");
      }
    });
  }

  void write_rows(std::span<const float> weights, const merge::BalancedTiles& balanced,
                  DeviceTable& table, DeviceArena& arena, cudaStream_t stream) const {
    const auto items = static_cast<Index>(weights.size());
    const auto& [tiles, balance] = balanced;
    const auto exported = merge::MergeExports::take(arena, items);
    if (!arena.has_block()) return;
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(without_room_.data(), 0, sizeof(Index), stream));
    const auto warps = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount)) *
                       warp_tiles::resident_warps;
    table.visit([&]<class Rows>(const Rows& rows) {
      if constexpr (std::is_same_v<Rows, CompactRows>) {
        launch_programmatic(warp_tiles::make_rows<false>, {warps, 32}, stream, weights.data(),
                            tiles, balance, exported, rows, without_room_.data());
        check_launch("warp_tiles::make_rows of tiles with an excess");
        launch_programmatic(warp_tiles::make_rows<true>, {warps, 32}, stream, weights.data(), tiles,
                            balance, exported, rows, without_room_.data());
        check_launch("warp_tiles::make_rows of tiles that lack mass");
        constexpr Index store_threads = 128;  // of a tile
        launch_programmatic(merge::store_handed_on<Rows, store_threads>,
                            {blocks_for(balance.tiles, merge::store_block_threads / store_threads),
                             merge::store_block_threads},
                            stream, balance, exported, rows);
        check_launch("merge::store_handed_on");
      }
    });
  }
  void check_outcome() const override {
    Index tiles = 0;
    copy_to_host(without_room_.data(), std::span(&tiles, 1));
    if (tiles > 0) throw Error(std::to_string(tiles) + " tiles have no room for what sweeps leave");
  }

  mutable DeviceBuffer<Index> without_room_;
};

}  // namespace

Experiment experiment() {
  return {.name = "warp_tiles",
          .summary = "the merge with a warp for each tile",
          .needs_gpu = true,
          .hides_launches = true,
          .defaults = {.sizes = {9'998'336, 99'999'744}, .distributions = {"uniform"}},
          .series = {exact_build_series("warp_tiles", "warp_tiles", WeightsView::Type::float32,
                                        [] { return std::make_unique<WarpTilesTable>(); })}};
}

}  // namespace wrsgpu::experiments
