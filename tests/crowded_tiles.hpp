// Weights of which tiles receive many items, for the sweeps of lanes.
#pragma once

#include <vector>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// What a tile receives beside whole items.
enum class Piece { none, of_an_item };

/// Tiles of weights 1, of which each of the first `takers` tiles that follow their donors receives
/// `count` whole items of these, and if asked for a part of one more, of which the tile behind it
/// receives the rest.
[[nodiscard]] inline std::vector<double> crowded_tiles(Index takers, Index tiles, Index count,
                                                       Piece piece = Piece::none) {
  constexpr Index most = 200;  // whole items that one donor hands on
  std::vector<double> weights(std::size_t{tiles} * mass_tile_items, 1);
  double* tile = weights.data();
  for (Index taker = 0; taker < takers; ++taker) {
    for (Index k = 0; k < count; ++k) {
      if (k > 0 && k % most == 0) tile += mass_tile_items;
      tile[k % most * 8 + 5] = 2;
    }
    const bool has_piece = piece == Piece::of_an_item;
    if (has_piece) tile[most * 8 + 5] = 3;
    tile += mass_tile_items;
    for (Index k = 0; k < count + (has_piece ? 1 : 0); ++k) tile[k * 3 + 1] = 0;
    tile += mass_tile_items;
    if (!has_piece) continue;
    tile[7] = 0;
    tile += mass_tile_items;
  }
  return weights;
}

/// The same behind a tile of weights 1, so that takers are others.
[[nodiscard]] inline std::vector<double> crowded_tiles_behind_one(Index takers, Index tiles,
                                                                  Index count) {
  std::vector<double> weights(mass_tile_items, 1);
  const std::vector<double> behind = crowded_tiles(takers, tiles - 1, count);
  weights.insert(weights.end(), behind.begin(), behind.end());
  return weights;
}

/// As many tiles as these weights have and two more, the last of which receives `count` items and
/// has only `items`.
[[nodiscard]] inline std::vector<double> with_crowded_end(std::vector<double> weights, Index count,
                                                          Index items) {
  std::vector<double> end = crowded_tiles(1, 2, count);
  end.resize(std::size_t{mass_tile_items} + items);
  weights.insert(weights.end(), end.begin(), end.end());
  return weights;
}

}  // namespace wrsgpu
