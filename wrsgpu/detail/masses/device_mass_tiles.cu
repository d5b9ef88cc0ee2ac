#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/masses/sum_tile.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {
namespace {

/// Finds the heaviest item of each group of eight neighbours. If a thread has loaded four of them
/// at a time, they are in `weight`; otherwise they are read once more.
template <class T, class Items, int thread_items>
__device__ void find_candidates(const T* weights, const Items& items,
                                const T (&weight)[thread_items], std::uint8_t* candidates) {
  using Bits = decltype(bits_of(T{}));
  constexpr int threads = mass_tile_items / thread_items;
  static_assert(threads == 128);
  const Index thread = threadIdx.x;
  if constexpr (std::is_same_v<T, float>) {
    if (loads_vectors(weights, items)) {
      // A pair of threads shares group v * 64 + thread / 2 of each vector v. The first thread keeps
      // the groups of vectors 0 and 1, the second one those of 2 and 3: each pair of groups is one
      // byte.
      constexpr int vectors = thread_items / 4;
      static_assert(vectors == 4);
      const bool is_second = thread % 2 != 0;
      Bits key[vectors];
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        key[v] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          key[v] = greater_of(
              key[v], warp_pairing::group_key(bits_of(weight[v * 4 + k]), static_cast<Index>(k)));
        }
        key[v] |= is_second ? 4 : 0;
      }
      Bits kept[2];
#pragma unroll
      for (int v = 0; v < 2; ++v) {
        const Bits other = __shfl_xor_sync(~0U, is_second ? key[v] : key[v + 2], 1);
        kept[v] = greater_of(other, is_second ? key[v + 2] : key[v]);
      }
      const Index byte = (is_second ? 64 : 0) + thread / 2;
      candidates[byte] = warp_pairing::candidates_of(warp_pairing::place_of(kept[0]),
                                                     warp_pairing::place_of(kept[1]));
      return;
    }
  }
  Index place[2];
#pragma unroll
  for (Index half = 0; half < 2; ++half) {
    const Index group = warp_pairing::candidate_group(thread, half);
    Bits key = 0;
    for (Index k = 0; k < warp_pairing::group_items; ++k) {
      const Index item = group * warp_pairing::group_items + k;
      if (item >= items.size()) break;
      const T w = weights[items(item)];
      key = greater_of(key, warp_pairing::group_key(w > 0 ? bits_of(w) : Bits{0}, k));
    }
    place[half] = warp_pairing::place_of(key);
  }
  candidates[thread] = warp_pairing::candidates_of(place[0], place[1]);
}

/// Step 1 of wrsgpu/detail/masses/mass_tiles.hpp. One block per tile.
template <class T, int threads, bool is_warp_parallel>
__global__ void __launch_bounds__(threads)
    sum_tiles(const T* weights, DeviceTileMap map, SummedTile* tiles, SweepStart sweep) {
  using Summation = TileSummation<T, threads>;
  __shared__ typename Summation::Storage storage;
  grid_dependency_sync();
  map.visit([&](const auto& tiles_of_kind) {
    const auto items = tiles_of_kind[blockIdx.x];
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
  });
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
