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

/// PSA+ (thesis 2.4.5) reversed: the tiles' masses alone determine, before packing, what a tile
/// cannot pack by itself. So every tile is read, swept and written once, in order.
///  1. A tile whose mass exceeds its buckets exports its last heavy items, as many as make up the
///     excess; all others lack mass for their last light items.
///  2. Tiles with an excess are swept. Each step of a sweep chooses the next light or the next
///     heavy item by masks; several tiles take turns, because each step has to wait for the one
///     before.
///  3. So are the tiles that lack mass; their last light items are filled by the heavy items
///     exported, in the order of a sweep over both. A tile finds its place in that sweep from
///     prefix sums over tiles, and writes the rows of the heavy items that it uses up.
///  4. Where these are more than a tile's lists hold, the rest of them is cut into pieces where a
///     tile ends that exports: one tile may have nearly all items to itself.
/// In fixed-point arithmetic, most tiles that have heavy items only are recognised in advance. They
/// export all items and are not swept; the tiles that take the items compute their masses.
/// wrsgpu/detail/warp_pairing/host_warp_pairing.hpp makes the warp-parallel form of the table, for
/// many items; it needs arrays for one tile per thread. The table depends neither on the number of
/// threads nor on the instruction set, and is exact in fixed-point arithmetic. Memory besides the
/// table: 12 bytes per exported item (up to twice that in growing lists, kept for the next build),
/// none for tiles known to have heavy items only, and less than 1/10 byte per item.
class TiledSweepBuilder {
 public:
  /// `form` matters in fixed-point arithmetic only. The default is that of the GPU's
  /// `MergeBuilder`. The warp-parallel form is slower on hosts without AVX2 and AVX-512.
  explicit TiledSweepBuilder(TableOptions options = {}, TableForm form = TableForm::by_size)
      : options_(options), form_(form) {}

  [[nodiscard]] const TableOptions& options() const { return options_; }

  /// Returns the summary of the weights (errors: see `summarise`), and keeps the tile sums that
  /// `build` of the same weights needs, to save a pass.
  [[nodiscard]] WeightSummary check(WeightsView weights);
  /// Builds `table` from the weights checked last; keeps its memory when that is large enough.
  void build(WeightsView weights, const WeightSummary& summary, HostTable& table);

 private:
  TableOptions options_;
  TableForm form_;
  std::vector<double> leaf_totals_;
  std::vector<TileWeights> tile_weights_;
  /// Kept between builds: sorted weights export half of all items, and allocating for them would
  /// take floating-point tables as long as all the rest.
  std::tuple<ExportedItemLists<double>, ExportedItemLists<std::uint64_t>> exported_;
};

}  // namespace wrsgpu::detail
