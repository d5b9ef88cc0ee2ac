// The tiles of weights in device memory, and which items they have.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/tile_map.hpp"

namespace wrsgpu {

/// The tiles of all weights, and what the sample says about them (device memory); null if there are
/// too few for a sample.
struct DeviceTileMap {
  Index items = 0;
  const tile_sample::Findings* found = nullptr;

  /// For code that is compiled once for both kinds.
  [[nodiscard]] __device__ TileMap read() const {
    return {items, found != nullptr && found->are_alike};
  }
  /// Calls `use` with the `NeighbourMap` or the `InterleavedMap`; on the device only.
  template <class Use>
  WRSGPU_HD void visit(const Use& use) const {
    if (found != nullptr && found->are_alike) {
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
