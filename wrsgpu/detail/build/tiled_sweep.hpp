// A sweep without branches over tiles that are balanced beforehand: the fastest CPU construction.
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

/// PSA+ (thesis 2.4.5) turned round: what a tile cannot pack by itself is known before packing,
/// from the tiles' masses alone, so that every tile is read, swept and written once, in order.
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
/// In fixed-point arithmetic it is mostly known beforehand which tiles have heavy items only. They
/// are not swept, as they export all items; those that take the items compute their masses. The
/// warp-parallel form of the table, of many items, is made by
/// wrsgpu/detail/warp_pairing/host_warp_pairing.hpp instead, of whose arrays each thread has those
/// of one tile. The table depends neither on the number of threads nor on the instruction set, and
/// is exact in fixed-point arithmetic. Memory besides the table: 12 bytes per item exported, of
/// which lists that grow may have twice as much, kept for the next build, but none for tiles known
/// to have heavy items only; and less than 1/10 byte per item.
class TiledSweepBuilder {
 public:
  /// `form` matters in fixed-point arithmetic only. The default is that of the GPU's
  /// `MergeBuilder`. The warp-parallel one takes longer on hosts that have neither AVX2 nor
  /// AVX-512.
  explicit TiledSweepBuilder(TableOptions options = {}, TableForm form = TableForm::by_size)
      : options_(options), form_(form) {}

  [[nodiscard]] const TableOptions& options() const { return options_; }

  /// The summary of the weights (errors: see `summarise`), and what `build` of the same weights
  /// needs, to save a pass over them.
  [[nodiscard]] WeightSummary check(WeightsView weights);
  /// Makes `table` that of the weights that have been checked last; keeps its memory when it is
  /// large enough.
  void build(WeightsView weights, const WeightSummary& summary, HostTable& table);

 private:
  TableOptions options_;
  TableForm form_;
  std::vector<double> leaf_totals_;
  std::vector<TileWeights> tile_weights_;
  /// Kept between builds: of sorted weights half of all items are exported, for which fresh memory
  /// would cost floating-point tables as much time as all the rest.
  std::tuple<ExportedItemLists<double>, ExportedItemLists<std::uint64_t>> exported_;
};

}  // namespace wrsgpu::detail
