// The loops over many items in host_warp_pairing.cpp, vectorised.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_code.hpp"
#include "wrsgpu/detail/table/non_temporal_rows.hpp"
#include "wrsgpu/detail/warp_pairing/lane_names.hpp"

namespace wrsgpu::warp_pairing {

/// The loops for one instruction set.
struct VectorLoops {
  /// Appends the items from `begin` on that are not in `exported_mask` to the lists. Returns where
  /// it stopped.
  Index (*list)(const Word* words, Index begin, Index end, const ItemSet& exported_mask,
                Lists& lists);

  /// Steps while at least `minimum` lanes find an item (`min_active_beside_heavies` while there are
  /// heavy items). All lanes have a current item.
  void (*step)(Word* words, Lanes& current, Lists& lists, Index minimum,
               Index min_active_beside_heavies);

  /// Builds the rows of runs of light items, each of `lanes` items. The first current item with
  /// enough excess, or else the residual, fills a run. Continues while any of these has at least
  /// `minimum`.
  void (*fill_runs)(Word* words, Lanes& current, List& lights, std::uint64_t& residual,
                    std::int64_t minimum);

  /// Builds the rows of the light items from the one at `begin` on, with `alias` as their alias.
  /// Returns where it stopped.
  Index (*fill)(Word* words, const List& lights, Index begin, Name alias);

  /// Stores the rows of a tile's items that are not in `exported_mask`; the first item of the tile
  /// is `begin`, and `beyond` are the items of names from `mass_tile_items` on. Returns where it
  /// stopped. The caller must call `fence_non_temporal_stores` afterwards.
  Index (*store)(const Word* words, Index begin, Index items, const ItemSet& exported_mask,
                 const Index* beyond, const CompactRows& all_rows);
};

/// Null if the compiler or the processor lacks the instructions.
[[nodiscard]] const VectorLoops* avx512_loops();
[[nodiscard]] const VectorLoops* avx2_loops();

/// The loops that `code` selects; null for the portable code.
[[nodiscard]] inline const VectorLoops* vector_loops(HostCode code) {
  if (code == HostCode::portable) return nullptr;
  const VectorLoops* const best = code == HostCode::best ? avx512_loops() : nullptr;
  return best != nullptr ? best : avx2_loops();
}

}  // namespace wrsgpu::warp_pairing
