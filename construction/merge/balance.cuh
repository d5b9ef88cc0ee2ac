// Which tiles have more mass than their buckets take, and whose mass goes where.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/construction/device_mass_tiles.cuh"

namespace wrsgpu::merge {

/// Tiles with an excess in one list, all others in another (device memory).
struct Balance {
  static constexpr Index not_yet = ~Index{0};

  Index tiles;
  Index* excess_count;  ///< tiles with an excess
  /// All tiles: those with an excess, in order, then the others, the last one first.
  Index* order;
  /// How many items each with an excess hands on; `not_yet` until it has done so.
  Index* handed_on_count;
  /// Sum of the excesses before each with an excess; one more entry holds the sum of all.
  std::uint64_t* excess_before;
  /// Sum of what the tiles before each that lacks mass lack.
  std::uint64_t* lack_before;
  /// For each tile that lacks mass, which of those with an excess is the first that is not used up
  /// before it.
  Index* donor_tile;

  /// The number of the tile with the `place`-th excess.
  [[nodiscard]] __device__ Index excess_tile(Index place) const { return order[place]; }
};

/// Writes the tiles (steps 2 and 3 of construction/mass_tiles.hpp) and `*summary`, and balances
/// them. The conventions of `summarise_on_device`.
[[nodiscard]] Balance finish_and_balance(const SummedTile* summed, Index items, MassTile* tiles,
                                         DeviceWeightSummary* summary, DeviceArena& arena,
                                         cudaStream_t stream);

/// What the buckets of a tile take.
[[nodiscard]] WRSGPU_HD inline std::uint64_t tile_capacity(Index tile, Index items) {
  const std::uint64_t left = items - std::uint64_t{tile} * mass_tile_items;
  return (left < mass_tile_items ? left : mass_tile_items) * fixed_bucket;
}

}  // namespace wrsgpu::merge
