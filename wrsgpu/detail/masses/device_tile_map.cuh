// The tiles of weights in device memory, and which items they have.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/tile_map.hpp"

namespace wrsgpu {

/// The tiles of all weights, interleaved if `*is_interleaved` (device memory); null for neighbours.
struct DeviceTileMap {
  Index items = 0;
  const bool* is_interleaved = nullptr;

  /// Calls `use` with the `NeighbourMap` or the `InterleavedMap`; on the device only.
  template <class Use>
  WRSGPU_HD void visit(const Use& use) const {
    if (is_interleaved != nullptr && *is_interleaved) {
      use(InterleavedMap{items});
    } else {
      use(NeighbourMap{items});
    }
  }
};

/// All tiles, and which items they have (device memory).
struct DeviceMassTiles {
  const MassTile* tiles;
  DeviceTileMap map;
};

}  // namespace wrsgpu
