// Weights of which tiles receive many items, for the sweeps of lanes.
#pragma once

#include <vector>

#include "wrsgpu/construction/mass_tiles.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// Tiles of weights 1, of which each of the first `takers` tiles that follow their donors receives
/// `count` items of these.
[[nodiscard]] inline std::vector<double> crowded_tiles(Index takers, Index tiles, Index count) {
  constexpr Index most = 200;  // that one donor hands on
  std::vector<double> weights(std::size_t{tiles} * mass_tile_items, 1);
  double* tile = weights.data();
  for (Index taker = 0; taker < takers; ++taker) {
    for (Index k = 0; k < count; ++k) {
      if (k > 0 && k % most == 0) tile += mass_tile_items;
      tile[k % most * 8 + 5] = 2;
    }
    tile += mass_tile_items;
    for (Index k = 0; k < count; ++k) tile[k * 3 + 1] = 0;
    tile += mass_tile_items;
  }
  return weights;
}

}  // namespace wrsgpu
