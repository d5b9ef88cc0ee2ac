// The integer masses of wrsgpu/detail/masses/mass_tiles.hpp on the device, bitwise identical to the
// host's.
#pragma once

#include <cub/block/block_scan.cuh>

#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/device_tile_map.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// Threads per block of a tile.
inline constexpr int mass_tile_threads = 128;
/// Threads per block if all tiles are in flight at once: more work in total, but lower latency.
inline constexpr int few_tiles_threads = 256;
[[nodiscard]] inline bool are_few(Index tiles) {
  constexpr Index blocks = 4;  // per multiprocessor
  return tiles <= blocks * static_cast<Index>(device_attribute(cudaDevAttrMultiProcessorCount));
}
inline constexpr int mass_tile_thread_items = mass_tile_items / mass_tile_threads;

/// A tile after step 1.
struct SummedTile {
  TileSum total;
  double largest;  ///< weight
  std::uint64_t
      first_invalid;  ///< index of the first NaN, infinite or negative weight, or all ones

  /// A tile without weights.
  [[nodiscard]] static WRSGPU_HD SummedTile identity() {
    return {{0, no_shift}, 0, ~std::uint64_t{0}};
  }
  /// Far greater than any shift; its difference from any shift is an int.
  static constexpr int no_shift = 1 << 30;
};

/// The map that the host's `find_tile_map` finds (device memory). Follows the conventions of
/// `DeviceArena`.
template <class T>
[[nodiscard]] DeviceTileMap find_tile_map_on_device(std::span<const T> weights, DeviceArena& arena,
                                                    cudaStream_t stream);

/// Output of step 1 for warp-parallel pairing (device memory).
struct SweepStart {
  std::uint8_t* candidates;  ///< `warp_pairing::candidate_bytes` per tile
  /// Number of tiles taken by blocks. Reset here, because blocks take their first tiles before the
  /// following kernel has ended.
  Index* taken;
};

/// Step 1 for all `mass_tile_count` tiles of `weights` (device memory; T is float or double).
/// Follows the conventions of `DeviceArena`.
template <class T>
[[nodiscard]] SummedTile* sum_tiles_on_device(std::span<const T> weights, const DeviceTileMap& map,
                                              DeviceArena& arena, cudaStream_t stream,
                                              const SweepStart* sweep = nullptr);

/// Assignment of a tile's items to threads: blocked, or arbitrary.
enum class TileOrder { blocked, striped };

/// Whether `load_tile` reads 16 bytes at a time.
template <class T, class Items>
[[nodiscard]] __device__ bool loads_vectors(const T* weights, const Items& items) {
  return items.size() == mass_tile_items && reinterpret_cast<std::uintptr_t>(weights) % 16 == 0;
}

/// With one task per block, the block that starts at about the time when this one ends, given the
/// number of resident blocks per multiprocessor.
[[nodiscard]] __device__ inline Index later_block(Index resident_blocks) {
  Index multiprocessors;
  asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
  return blockIdx.x + resident_blocks * multiprocessors;
}

/// Prefetches the weights of a tile into the L2, by one warp, if their alignment permits.
template <class T, class Items>
__device__ void prefetch_tile(const T* weights, const Items& items) {
#if __CUDA_ARCH__ >= 900
  if (!loads_vectors(weights, items)) return;
  const Index lane = threadIdx.x % 32;
  static_assert(tile_chunks == 32);
  if (items.is_interleaved()) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                     __cvta_generic_to_global(weights + items.chunk(lane))),
                 "n"(chunk_items * sizeof(T)));
  } else if (lane == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                     __cvta_generic_to_global(weights + items(0))),
                 "n"(mass_tile_items * sizeof(T)));
  }
#endif
}

/// Loads 16 bytes that the block reads once: they leave the L1 to what blocks share.
[[nodiscard]] __device__ inline float4 load_once(const float4* from) {
  float4 read;
  asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(read.x), "=f"(read.y), "=f"(read.z), "=f"(read.w)
               : "l"(__cvta_generic_to_global(from)));
  return read;
}
[[nodiscard]] __device__ inline double2 load_once(const double2* from) {
  double2 read;
  asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
               : "=d"(read.x), "=d"(read.y)
               : "l"(__cvta_generic_to_global(from)));
  return read;
}

/// Calls `use` with what gives the address of the weight at a place of a tile: the sum of two
/// numbers for neighbours.
template <class T, class Items, class Use>
__device__ void visit_weights(const T* weights, const Items& items, const Use& use) {
  if (items.is_interleaved()) {
    use([&](Index place) { return weights + items(place); });
  } else {
    use([from = weights + items(0)](Index place) { return from + place; });
  }
}

/// Loads the tile of a block, 0 beyond the last item. Loads 16 bytes at a time if the weights are
/// aligned.
template <TileOrder order, class T, class Items, int thread_items>
__device__ void load_tile(const T* weights, const Items& items, T (&weight)[thread_items]) {
  constexpr int threads = mass_tile_items / thread_items;
  using Vector = std::conditional_t<std::is_same_v<T, float>, float4, double2>;
  constexpr int width = sizeof(Vector) / sizeof(T);
  constexpr int vectors = thread_items / width;
  const int thread = static_cast<int>(threadIdx.x);
  if (loads_vectors(weights, items)) {
    visit_weights(weights, items, [&](const auto& weight_at) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        const int at = order == TileOrder::striped ? v * threads + thread : thread * vectors + v;
        const auto* const from =
            reinterpret_cast<const Vector*>(weight_at(static_cast<Index>(at * width)));
        const Vector read = order == TileOrder::striped ? load_once(from) : *from;
        weight[v * width] = read.x;
        weight[v * width + 1] = read.y;
        if constexpr (width == 4) {
          weight[v * width + 2] = read.z;
          weight[v * width + 3] = read.w;
        }
      }
    });
    return;
  }
#pragma unroll
  for (int k = 0; k < thread_items; ++k) {
    const auto at = static_cast<Index>(order == TileOrder::striped ? k * threads + thread
                                                                   : thread * thread_items + k);
    weight[k] = at < items.size() ? weights[items(at)] : T{0};
  }
}

/// Step 4 for the tile of a block. All threads of the block must call it. Each thread gets
/// consecutive masses, from an item on that is a multiple of their number; 0 beyond the last item.
template <class T, int threads = mass_tile_threads>
class BlockMasses {
  static constexpr int thread_items = mass_tile_items / threads;
  using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  static constexpr int warps = threads / 32;

 public:
  struct Storage {
    typename Scan::TempStorage scan;
    std::uint64_t warp_sum[warps];
    T warp_minimum[warps];
    int first_warp;  // number of its items that take a unit first
    long long largest;
    int largest_item;
  };

  /// `valid` is that of the summary. The storage may be reused after the next barrier.
  static __device__ void read(Storage& storage, const T* weights, Index size, Index tile_number,
                              const MassTile& tile, bool valid,
                              std::uint64_t (&masses)[thread_items]) {
    read(storage, weights, NeighbourItems(tile_number, size), tile, valid, masses);
  }
  /// The same for tiles of any kind.
  template <class Items>
  static __device__ void read(Storage& storage, const T* weights, const Items& items,
                              const MassTile& tile, bool valid,
                              std::uint64_t (&masses)[thread_items]) {
    T weight[thread_items];
    load_tile<TileOrder::blocked>(weights, items, weight);
    of(storage, weight, static_cast<int>(items.size()), tile, valid, masses);
  }

  /// The same for a tile of `items` weights that `load_tile` has loaded, blocked.
  ///
  /// @tparam often_by_all in most tiles, light items do not suffice to give or take all units: both
  /// kinds are then counted at once, which costs other tiles registers
  template <bool often_by_all = false>
  static __device__ void of(Storage& storage, const T (&weight)[thread_items], int items,
                            const MassTile& tile, bool valid,
                            std::uint64_t (&masses)[thread_items]) {
    const int first = static_cast<int>(threadIdx.x) * thread_items;
    if (!valid) {
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        masses[k] = first + k < items ? fixed_bucket : 0;
      }
      return;
    }
    const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
    std::uint64_t sum = 0;
    T minimum = weight[0];
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      masses[k] = integer.nearest(weight[k]);
      sum += masses[k];
      minimum = weight[k] < minimum ? weight[k] : minimum;
    }
    sum = warp_sum(sum);
    minimum = warp_min(minimum);
    const bool is_first_warp = threadIdx.x < 32;
    if (threadIdx.x % 32 == 0) {
      storage.warp_sum[threadIdx.x / 32] = sum;
      storage.warp_minimum[threadIdx.x / 32] = minimum;
    }
    int rank = 0;
    if (is_first_warp) {
      int mine = 0;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) mine += takes_unit_first(masses[k]) ? 1 : 0;
      const int inclusive_sum = warp_inclusive_sum(mine);
      rank = inclusive_sum - mine;
      if (threadIdx.x == 31) storage.first_warp = inclusive_sum;
    }
    if (threadIdx.x == 0) {
      storage.largest = 0;
      storage.largest_item = mass_tile_items;
    }
    __syncthreads();
    std::uint64_t left = tile.mass;  // modulo 2^64
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) {
      left -= storage.warp_sum[warp];
      minimum = storage.warp_minimum[warp] < minimum ? storage.warp_minimum[warp] : minimum;
    }
    if (left == 0) return;
    const bool is_too_much = static_cast<std::int64_t>(left) < 0;
    const std::uint64_t unit = is_too_much ? ~std::uint64_t{0} : 1;
    const std::uint64_t wanted = is_too_much ? 0 - left : left;
    // One unit to each item that takes part, for the first `units` of them; `rank` of them precede
    // this thread's.
    const auto give = [&](int units, const auto& takes_part) {
      if (rank >= units) return;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        if (!takes_part(k)) continue;
        masses[k] += rank < units ? unit : 0;
        ++rank;
      }
    };
    // The smallest weight has the smallest mass. In most tiles all items can take part, and those
    // of the first warp suffice; or all items are heavy, and none takes a unit first.
    const std::uint64_t min_mass = integer.nearest(minimum);
    const bool all_can = is_too_much ? min_mass > 0 : minimum > 0;
    if (all_can && wanted <= static_cast<std::uint64_t>(storage.first_warp)) {
      if (is_first_warp) {
        give(static_cast<int>(wanted), [&](int k) { return takes_unit_first(masses[k]); });
      }
      return;
    }
    if (!takes_unit_first(min_mass) && wanted <= mass_tile_items) {
      rank = first;
      give(static_cast<int>(wanted), [](int /*k*/) { return true; });
      return;
    }
    std::uint64_t given = 0;
    if constexpr (often_by_all) {
      // Both kinds at once: those that take part first are counted in the lower half of a word, the
      // others in the upper one.
      constexpr int one_other = 1 << 16;
      const auto part_of = [&](int k) {
        const bool can = is_too_much ? masses[k] > 0 : weight[k] > 0;
        if (!can) return 0;
        return takes_unit_first(masses[k]) ? 1 : one_other;
      };
      int mine = 0;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) mine += part_of(k);
      int before;
      int all;
      Scan(storage.scan).ExclusiveSum(mine, before, all);
      const auto at_most = [](std::uint64_t units, int items) {
        return units < static_cast<std::uint64_t>(items) ? static_cast<int>(units) : items;
      };
      const int by_first = at_most(wanted, all % one_other);
      const int by_others = at_most(wanted - static_cast<std::uint64_t>(by_first), all / one_other);
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        const int part = part_of(k);
        const bool gives =
            part == 1 ? before % one_other < by_first : before / one_other < by_others;
        masses[k] += part != 0 && gives ? unit : 0;
        before += part;
      }
      given = static_cast<std::uint64_t>(by_first + by_others);
    } else {
#pragma unroll 1
      for (int pass = 0; pass < 2 && given < wanted; ++pass) {
        const bool are_first = pass == 0;
        // By the masses before units were given; the current ones include them.
        const auto takes_part = [&](int k) {
          const std::uint64_t mass = integer.nearest(weight[k]);
          const bool can = is_too_much ? mass > 0 : weight[k] > 0;
          return can && takes_unit_first(mass) == are_first;
        };
        int mine = 0;
#pragma unroll
        for (int k = 0; k < thread_items; ++k) mine += takes_part(k) ? 1 : 0;
        int all;
        __syncthreads();  // the preceding scan has ended
        Scan(storage.scan).ExclusiveSum(mine, rank, all);
        const std::uint64_t still = wanted - given;
        const int units = static_cast<int>(still < static_cast<std::uint64_t>(all) ? still : all);
        give(units, takes_part);
        given += static_cast<std::uint64_t>(units);
      }
    }
    // Continues only if a tile has many times the mass of others.
    if (given == wanted) return;
    T largest = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      largest = weight[k] > largest ? weight[k] : largest;
    }
    // The bit patterns of non-negative numbers are ordered like the numbers.
    atomicMax(&storage.largest, __double_as_longlong(static_cast<double>(largest)));
    __syncthreads();
    const auto is_largest = [&](T w) {
      return __double_as_longlong(static_cast<double>(w)) == storage.largest;
    };
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (is_largest(weight[k])) atomicMin(&storage.largest_item, first + k);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first + k == storage.largest_item) masses[k] += wanted - given;
    }
  }
};

}  // namespace wrsgpu
