// The rows of interleaved tiles (wrsgpu/detail/masses/tile_map.hpp), for code that makes those of
// neighbours.
#pragma once

#include <array>
#include <cstdint>

#include "wrsgpu/detail/host_sweep/tile_balance.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/table/non_temporal_rows.hpp"

namespace wrsgpu::detail {

/// The rows of interleaved tiles, numbered in the order of the tiles.
template <class Rows>
class RowsByPlace {
 public:
  RowsByPlace(const Rows& rows, const TileMap& map) : rows_(rows), map_(map) {}

  [[nodiscard]] Index size() const { return rows_.size(); }
  void store(Index place, std::uint64_t own, Index alias) const {
    rows_.store(item_at(place), own, item_at(alias));
  }
  /// Stores the rows of a tile.
  void store_tile(ItemRange places, const CompactRow* made) const {
    const Index tile = places.begin / mass_tile_items;
    const TileItems items = map_[tile];
    // Most aliases are of the same tile. To compute the place of each would take longer than all
    // else.
    std::array<Index, mass_tile_items> own;
    write_items(items, own.data());
    const auto row_at = [&](Index i) -> CompactRow {
      const Index alias = made[i].alias;
      return {made[i].threshold,
              alias / mass_tile_items == tile ? own[alias % mass_tile_items] : item_at(alias)};
    };
    Index i = 0;
    if constexpr (Rows::layout == Layout::compact_rows) {
      while (i + chunk_items <= items.size() && rows_use_non_temporal_stores(rows_, own[i])) {
        store_by_non_temporal_stores<chunk_items>(rows_, own[i],
                                                  [&](Index k) { return row_at(i + k); });
        i += chunk_items;
      }
    }
    for (; i < items.size(); ++i) {
      const CompactRow row = row_at(i);
      const bool is_full = row.threshold == 0 && row.alias == own[i];
      rows_.store(own[i], is_full ? fixed_bucket : std::uint64_t{row.threshold}, row.alias);
    }
  }

 private:
  [[nodiscard]] Index item_at(Index place) const {
    return map_[place / mass_tile_items](place % mass_tile_items);
  }

  Rows rows_;
  TileMap map_;
};

}  // namespace wrsgpu::detail
