// The loops of lane_sweep.cpp over many items, by AVX-512.
#pragma once

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/core/avx512.hpp"
#include "wrsgpu/cpu_reference/lane_names.hpp"

#ifdef WRSGPU_HAS_AVX512_CODE

namespace wrsgpu::lane_sweep {

/// Appends the items from `begin` on that are not in `gone` to the lists, sixteen at a time.
/// Returns where it stopped.
[[nodiscard]] Index list_by_sixteen(const Word* words, Index begin, Index end, const ItemSet& gone,
                                    Lists& lists);

/// Steps of the lanes that find an item, as long as so many do: `least`, or `least_beside_heavies`
/// while there are heavy items.
void step_by_sixteen(Word* words, Lanes& current, Lists& lists, Index least,
                     Index least_beside_heavies);

/// Makes the rows of runs of light items, as many as there are lanes: each run is filled by the
/// first current item that has what it lacks, or else by the piece; while any of these has `least`.
void fill_runs_by_sixteen(Word* words, Lanes& current, List& lights, std::uint64_t& piece,
                          std::int64_t least);

/// Makes the rows of the light items from the one at `begin` on, whose alias is `alias`. Returns
/// where it stopped.
[[nodiscard]] Index fill_by_sixteen(Word* words, const List& lights, Index begin, Name alias);

/// Stores the rows of a tile's items that are not in `gone`, the first of which is `begin`;
/// `beyond` are the items that names from `mass_tile_items` on stand for. Returns where it stopped.
/// `order_stores_past_cache` has to follow.
[[nodiscard]] Index store_by_eight(const Word* words, Index begin, Index items, const ItemSet& gone,
                                   const Index* beyond, const CompactRows& all_rows);

}  // namespace wrsgpu::lane_sweep
#endif
