// A branch-free sweep over pre-balanced tiles: the fastest CPU construction.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "wrsgpu/detail/host_sweep/tile_balance.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/warp_pairing.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/table/table_options.hpp"

namespace wrsgpu::detail {

/// The reverse of PSA+ (thesis 2.4.5): the masses of the tiles alone determine, before packing,
/// what a tile cannot pack by itself. So every tile is read, swept and written once, in order.
///  1. A tile whose mass exceeds its buckets exports its last heavy items, as many as cover the
///     excess; every other tile lacks mass for its last light items.
///  2. Tiles with an excess are swept. Each step of a sweep selects the next light or the next
///     heavy item by masks; several tiles are interleaved, because each step depends on the one
///     before.
///  3. Tiles that lack mass are swept next; the exported heavy items fill their last light items,
///     in the order of a sweep over both. A tile finds its position in that sweep from prefix sums
///     over tiles, and writes the rows of the heavy items that it uses up.
///  4. If a tile receives more heavy items than its lists hold, the rest is cut into pieces at the
///     borders of exporting tiles: one tile may receive nearly all items.
/// In fixed-point arithmetic, most tiles that have heavy items only are recognised in advance. They
/// export all items and are not swept; the tiles that receive the items compute their masses.
/// wrsgpu/detail/warp_pairing/host_warp_pairing.hpp builds the warp-parallel form of the table, for
/// many items; it needs arrays for one tile per thread. The table depends neither on the number of
/// threads nor on the instruction set, and is exact in fixed-point arithmetic. Memory besides the
/// table: 12 bytes per exported item (up to twice that in growing lists, kept for the next build),
/// none for tiles known to have heavy items only, less than 1/10 byte per item, and half a
/// megabyte per thread.
class TiledSweepBuilder {
 public:
  /// `form` matters in fixed-point arithmetic only; its default is the same as for `MergeBuilder`
  /// on the GPU. The warp-parallel form is slower on hosts without AVX2 and AVX-512.
  explicit TiledSweepBuilder(TableOptions options = {}, TableForm form = TableForm::by_size)
      : options_(options), form_(form) {}

  [[nodiscard]] const TableOptions& options() const { return options_; }

  /// Returns the summary of the weights (errors: see `summarise`), and keeps the tile sums that
  /// `build` needs for the same weights, which saves a pass.
  [[nodiscard]] WeightSummary check(WeightsView weights);
  /// The weight of all tiles of the weights checked last; 0 before.
  [[nodiscard]] TileSum whole() const { return whole_; }
  /// Builds `table` from the weights checked last; reuses its memory if that is large enough.
  void build(WeightsView weights, const WeightSummary& summary, HostTable& table);

 private:
  TableOptions options_;
  TableForm form_;
  TileSum whole_{0, 0};
  TileMap map_{};
  std::vector<double> leaf_totals_;
  std::vector<TileWeights> tile_weights_;
  /// Kept between builds: sorted weights export half of all items, and allocating the lists would
  /// take as long as the rest of the construction of a floating-point table.
  std::tuple<ExportedItemLists<double>, ExportedItemLists<std::uint64_t>> exported_;
};

}  // namespace wrsgpu::detail
