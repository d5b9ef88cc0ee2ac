// Weights of which an item ends where what a tile lacks does, for the sweeps of lanes.
#pragma once

#include <vector>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Three tiles of weights 1: two items of the first, or of the last, have `excess` more, each what
/// one of the other tiles lacks. An item that ends there belongs to one of them only.
[[nodiscard]] inline std::vector<double> tied_tiles(bool donor_is_last, Index excess) {
  std::vector<double> weights(std::size_t{3} * mass_tile_items, 1);
  const Index donor = donor_is_last ? 2 : 0;
  for (Index tile = 0; tile < 3; ++tile) {
    double* const items = weights.data() + std::size_t{tile} * mass_tile_items;
    if (tile == donor) {
      items[100] = items[900] = 1 + excess;
    } else {
      for (Index k = 0; k < excess; ++k) items[3 + 2 * k] = 0;
    }
  }
  return weights;
}

}  // namespace wrsgpu
