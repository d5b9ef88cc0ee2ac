// The integer masses of construction/mass_tiles.hpp on the device: the host's, bit for bit.
#pragma once

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

#include "wrsgpu/construction/device_weights.cuh"
#include "wrsgpu/construction/mass_tiles.hpp"

namespace wrsgpu {

/// A tile is a block's.
inline constexpr int mass_tile_threads = 128;
inline constexpr int mass_tile_thread_items = mass_tile_items / mass_tile_threads;

/// Steps 1 to 3: checks `weights` (device memory, T is float or double), and writes `*summary` and
/// `mass_tile_count` tiles. The conventions of `summarise_on_device`. The tiles of weights that are
/// unfit are those of equal ones, so that no later kernel meets a sum that does not add up.
template <class T>
void find_mass_tiles_on_device(std::span<const T> weights, MassTile* tiles,
                               DeviceWeightSummary* summary, DeviceArena& arena,
                               cudaStream_t stream);

/// Step 4 for the tile of a block, with all its threads: consecutive masses each, from an item on
/// that is a multiple of `mass_tile_thread_items`; 0 behind the last item.
template <class T>
class BlockMasses {
  using Load =
      cub::BlockLoad<T, mass_tile_threads, mass_tile_thread_items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<std::uint64_t, mass_tile_threads>;

 public:
  union Storage {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
  };

  /// `fit` is the summary's. The storage may be used again after the next barrier.
  static __device__ void read(Storage& storage, const T* weights, Index size, Index tile_number,
                              const MassTile& tile, bool fit,
                              std::uint64_t (&masses)[mass_tile_thread_items]) {
    const std::uint64_t begin = std::uint64_t{tile_number} * mass_tile_items;
    const auto items =
        static_cast<int>(size - begin < mass_tile_items ? size - begin : mass_tile_items);
    T weight[mass_tile_thread_items];
    if (items == mass_tile_items) {
      Load(storage.load).Load(weights + begin, weight);
    } else {
      Load(storage.load).Load(weights + begin, weight, items, T{0});
    }
    const IntegerWeight<T> integer(tile.shift);
    std::uint64_t sum = 0;
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) {
      sum += integer(weight[k]);
      masses[k] = sum;
    }
    __syncthreads();
    std::uint64_t prefix;
    Scan(storage.scan).ExclusiveSum(sum, prefix);
    std::uint64_t before = tile.line(prefix);
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) {
      const std::uint64_t end = tile.line(prefix + masses[k]);
      masses[k] = end - before;
      before = end;
    }
    if (fit) return;
    const int first = static_cast<int>(threadIdx.x) * mass_tile_thread_items;
    for (int k = 0; k < mass_tile_thread_items; ++k) {
      masses[k] = first + k < items ? fixed_bucket : 0;
    }
  }
};

}  // namespace wrsgpu
