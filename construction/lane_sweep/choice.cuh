// What tiles with an excess hand on, chosen before any row is made.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/construction/device_mass_tiles.cuh"
#include "wrsgpu/construction/lane_sweep.hpp"
#include "wrsgpu/construction/merge/balance.cuh"

namespace wrsgpu::lane_sweep {

/// The items that a tile with an excess hands on, `tile_groups` places for each of these tiles, in
/// their order (device memory). Of fewer items than there are lanes the last sum is repeated, so
/// that all lanes can read before they know how many there are.
struct HandedOn {
  Index* count;
  Index* item;
  /// The sum of their excesses up to and with each, and of those of all tiles before; no more than
  /// the tiles up to this one hand on.
  std::uint64_t* up_to;

  /// Bytes for so many tiles.
  [[nodiscard]] static std::size_t bytes(Index tiles);
  /// In memory aligned to 8 bytes.
  [[nodiscard]] static HandedOn at(void* memory, Index tiles);
};

/// What there is to do for a tile.
struct alignas(16) Task {
  /// In its mass items that it hands on count as `TileSweep::fill` counts them.
  MassTile tile;
  /// Of a tile with an excess, what the last item that it hands on has beyond that; of others, what
  /// the tiles before lack.
  std::uint64_t more;
  /// Of a tile with an excess, the last item that it hands on; of others, the first tile that may
  /// hand on something to it.
  Index from;
  Index hands_on;  ///< 1 or 0; as a byte it would be read with three that nobody writes
};

/// Of a row of `lanes` items each, a bit; the first row is the lowest. A tile has one for each lane
/// of both halves.
using RowMask = std::uint32_t;
inline constexpr Index tile_masks = 2 * lanes;

struct Tasks {
  Task* task;     ///< for each tile
  RowMask* gone;  ///< `tile_masks` for each that hands on, of these items

  [[nodiscard]] static Tasks take(DeviceArena& arena, Index tiles) {
    return {arena.take<Task>(tiles), arena.take<RowMask>(std::size_t{tiles} * tile_masks)};
  }
};

/// Sets `*balance.unsuited` where a tile's items have too little. Makes what `finish_and_balance`
/// leaves out if it does not search.
template <class T>
void choose(std::span<const T> weights, const MassTile* tiles, const merge::Balance& balance,
            const std::uint8_t* candidates, const HandedOn& handed_on, const Tasks& tasks,
            cudaStream_t stream);

}  // namespace wrsgpu::lane_sweep
