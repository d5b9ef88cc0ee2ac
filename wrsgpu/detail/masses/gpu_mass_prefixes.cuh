// The integer masses of weights in device memory as segments of a line.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// Tiles of weights, and the masses of the items before each, with the total at the end.
struct PrefixedTiles {
  const MassTile* tiles;
  const std::uint64_t* mass_before;
  Index* counter;  ///< 0, for the kernel that follows
};

/// Finds the tiles of `weights` (device memory; T is float or double) and their prefix sums, and
/// checks the weights. The next kernel may be launched by `launch_programmatic`. Follows the
/// conventions of `DeviceArena`.
template <class T>
[[nodiscard]] PrefixedTiles find_prefixed_tiles(std::span<const T> weights,
                                                DeviceWeightSummary* summary, DeviceArena& arena,
                                                cudaStream_t stream);

}  // namespace wrsgpu
