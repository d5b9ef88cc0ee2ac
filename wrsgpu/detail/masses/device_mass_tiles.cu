#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/masses/sum_tile.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {
namespace {

/// Writes the byte of two groups, whose keys are these.
template <class Bits>
__device__ void write_candidates(std::uint8_t* candidates, Index byte, const Bits (&key)[2]) {
  candidates[byte] =
      warp_pairing::candidates_of(warp_pairing::place_of(key[0]), warp_pairing::place_of(key[1]));
}

/// Of two threads that share groups, whose numbers differ by `distance`, each keeps half of these:
/// the lower or the upper ones of every `2 * stride`. `key_of` gives the key of a group.
template <int stride, int groups, class KeyOf, class Bits>
__device__ void halve_groups(const KeyOf& key_of, bool is_upper, int distance,
                             Bits (&kept)[groups]) {
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    const int lower = g / stride * 2 * stride + g % stride;
    const Bits a = key_of(lower);
    const Bits b = key_of(lower + stride);
    kept[g] = greater_of(__shfl_xor_sync(~0U, is_upper ? a : b, distance), is_upper ? b : a);
  }
}

/// Finds the heaviest item of each group of eight neighbours. If a thread has loaded 16 bytes at a
/// time, they are in `weight`; otherwise they are read once more.
template <class T, class Items, int thread_items>
__device__ void find_candidates(const T* weights, const Items& items,
                                const T (&weight)[thread_items], std::uint8_t* candidates) {
  using Bits = decltype(bits_of(T{}));
  constexpr int threads = mass_tile_items / thread_items;
  static_assert(threads == 128);
  const Index thread = threadIdx.x;
  if (loads_vectors(weights, items)) {
    // The threads of a group share one of each vector; in the end, each has two groups that are 64
    // apart, which are one byte.
    constexpr int width = 16 / sizeof(T);
    [[maybe_unused]] constexpr int vectors = thread_items / width;
    constexpr Index sharing = warp_pairing::group_items / width;
    const auto key_of = [&](int vector) {
      Bits key = 0;
#pragma unroll
      for (int k = 0; k < width; ++k) {
        const Index place = thread % sharing * width + static_cast<Index>(k);
        key = greater_of(key, warp_pairing::group_key(bits_of(weight[vector * width + k]), place));
      }
      return key;
    };
    const bool is_odd = thread % 2 != 0;
    Bits kept[2];
    if constexpr (std::is_same_v<T, float>) {
      // Group v * 64 + thread / 2 of each vector v.
      halve_groups<2>(key_of, is_odd, 1, kept);
      write_candidates(candidates, (is_odd ? 64 : 0) + thread / 2, kept);
    } else {
      // Group v * 32 + thread / 4.
      const bool is_upper = thread % 4 >= 2;
      Bits half[vectors / 2];
      halve_groups<4>(key_of, is_upper, 2, half);
      halve_groups<1>([&](int v) { return half[v]; }, is_odd, 1, kept);
      write_candidates(candidates, (is_upper ? 64 : 0) + (is_odd ? 32 : 0) + thread / 4, kept);
    }
    return;
  }
  Bits key[2];
#pragma unroll
  for (Index half = 0; half < 2; ++half) {
    const Index group = warp_pairing::candidate_group(thread, half);
    key[half] = 0;
    for (Index k = 0; k < warp_pairing::group_items; ++k) {
      const Index item = group * warp_pairing::group_items + k;
      if (item >= items.size()) break;
      const T w = weights[items(item)];
      key[half] = greater_of(key[half], warp_pairing::group_key(w > 0 ? bits_of(w) : Bits{0}, k));
    }
  }
  write_candidates(candidates, thread, key);
}

/// Threads per multiprocessor. More have too few registers for doubles. Of floats, an H100 is to
/// have all that it can, with fewer registers than the compiler would take; no device has fewer
/// than the other number.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
constexpr int most_threads = 2'048;
#else
constexpr int most_threads = 1'024;
#endif
template <class T>
constexpr int resident_threads = std::is_same_v<T, double> ? 896 : most_threads;

/// Step 1 of wrsgpu/detail/masses/mass_tiles.hpp. One block per tile.
template <class T, int threads, bool is_warp_parallel>
__global__ void __launch_bounds__(threads, resident_threads<T> / threads)
    sum_tiles(const T* weights, DeviceTileMap map, SummedTile* tiles, SweepStart sweep) {
  using Summation = TileSummation<T, threads>;
  __shared__ typename Summation::Storage storage;
  grid_dependency_sync();
  trigger_launch_completion();
  const TileMap all = map.read();
  // Loads of floats keep the memory busy as it is, and chunks take longer to find than to load.
  if constexpr (std::is_same_v<T, double>) {
    const Index later = later_block(resident_threads<T> / threads);
    if (threadIdx.x < 32 && later < gridDim.x && !all.is_interleaved) {
      prefetch_tile(weights, all[later]);
    }
  }
  const TileItems items = all[blockIdx.x];
  T weight[mass_tile_items / threads];
  load_tile<TileOrder::striped>(weights, items, weight);
  const SummedTile summed = Summation::of(storage, weights, items, weight, [&] {
    if constexpr (is_warp_parallel) {
      find_candidates(weights, items, weight,
                      sweep.candidates + std::size_t{blockIdx.x} * warp_pairing::candidate_bytes);
      if (blockIdx.x == 0 && threadIdx.x == 0) *sweep.taken = 0;
    }
  });
  if (threadIdx.x == 0) tiles[blockIdx.x] = summed;
}

}  // namespace

template <class T>
SummedTile* sum_tiles_on_device(std::span<const T> weights, const DeviceTileMap& map,
                                DeviceArena& arena, cudaStream_t stream, const SweepStart* sweep) {
  const Index count = mass_tile_count(map.items);
  auto* tiles = arena.take<SummedTile>(count);
  if (!arena.has_block()) return tiles;
  if (sweep != nullptr) {
    launch_programmatic(sum_tiles<T, mass_tile_threads, true>, {count, mass_tile_threads}, stream,
                        weights.data(), map, tiles, *sweep);
  } else if (are_few(count)) {
    launch_programmatic(sum_tiles<T, few_tiles_threads, false>, {count, few_tiles_threads}, stream,
                        weights.data(), map, tiles, SweepStart{});
  } else {
    launch_programmatic(sum_tiles<T, mass_tile_threads, false>, {count, mass_tile_threads}, stream,
                        weights.data(), map, tiles, SweepStart{});
  }
  check_launch("sum_tiles");
  return tiles;
}

template SummedTile* sum_tiles_on_device(std::span<const float>, const DeviceTileMap&, DeviceArena&,
                                         cudaStream_t, const SweepStart*);
template SummedTile* sum_tiles_on_device(std::span<const double>, const DeviceTileMap&,
                                         DeviceArena&, cudaStream_t, const SweepStart*);

}  // namespace wrsgpu
