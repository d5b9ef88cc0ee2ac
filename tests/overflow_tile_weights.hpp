// Weights of which tiles receive many items, for the sweeps of lanes.
#pragma once

#include <vector>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// What a tile receives beside whole items.
enum class Residual { none, of_an_item };

/// Tiles of weights 1, of which each of the first `receivers` tiles that follow their donors
/// receives `count` whole items of these, and if asked for a part of one more, of which the tile
/// behind it receives the rest.
[[nodiscard]] inline std::vector<double> overflow_tile_weights(Index receivers, Index tiles,
                                                               Index count,
                                                               Residual residual = Residual::none) {
  constexpr Index maximum = 200;  // whole items that one donor exports
  std::vector<double> weights(std::size_t{tiles} * mass_tile_items, 1);
  double* tile = weights.data();
  for (Index receiver = 0; receiver < receivers; ++receiver) {
    for (Index k = 0; k < count; ++k) {
      if (k > 0 && k % maximum == 0) tile += mass_tile_items;
      tile[k % maximum * 8 + 5] = 2;
    }
    const bool has_residual = residual == Residual::of_an_item;
    if (has_residual) tile[maximum * 8 + 5] = 3;
    tile += mass_tile_items;
    for (Index k = 0; k < count + (has_residual ? 1 : 0); ++k) tile[k * 3 + 1] = 0;
    tile += mass_tile_items;
    if (!has_residual) continue;
    tile[7] = 0;
    tile += mass_tile_items;
  }
  return weights;
}

/// The same behind a tile of weights 1, so that receivers are others.
[[nodiscard]] inline std::vector<double> overflow_tiles_after_one(Index receivers, Index tiles,
                                                                  Index count) {
  std::vector<double> weights(mass_tile_items, 1);
  const std::vector<double> behind = overflow_tile_weights(receivers, tiles - 1, count);
  weights.insert(weights.end(), behind.begin(), behind.end());
  return weights;
}

/// As many tiles as these weights have and two more, the last of which receives `count` items and
/// has only `items`.
[[nodiscard]] inline std::vector<double> with_overflow_end(std::vector<double> weights, Index count,
                                                           Index items) {
  std::vector<double> end = overflow_tile_weights(1, 2, count);
  end.resize(std::size_t{mass_tile_items} + items);
  weights.insert(weights.end(), end.begin(), end.end());
  return weights;
}

}  // namespace wrsgpu
