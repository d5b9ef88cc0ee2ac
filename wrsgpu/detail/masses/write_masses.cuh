// Writes a function of each item's mass (wrsgpu/detail/masses/mass_tiles.hpp) to an array.
#pragma once

#include <cub/block/block_store.cuh>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu {

namespace detail {

/// Step 4, with one block per tile. Writes `of(mass)` for each item.
template <class T, class Out, class Of>
__global__ void __launch_bounds__(mass_tile_threads)
    write_tile_masses(const T* weights, DeviceTileMap map, const MassTile* tiles,
                      const DeviceWeightSummary* summary, const Of of, Out* out) {
  using Store = cub::BlockStore<Out, mass_tile_threads, mass_tile_thread_items,
                                cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename BlockMasses<T>::Storage masses;
    typename Store::TempStorage store;
  } storage;
  map.visit([&](const auto& tiles_of_kind) {
    std::uint64_t masses[mass_tile_thread_items];
    const auto items = tiles_of_kind[blockIdx.x];
    BlockMasses<T>::read(storage.masses, weights, items, tiles[blockIdx.x], summary->valid, masses);
    Out made[mass_tile_thread_items];
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) made[k] = of(masses[k]);
    if constexpr (std::decay_t<decltype(tiles_of_kind)>::is_interleaved) {
#pragma unroll
      for (int k = 0; k < mass_tile_thread_items; ++k) {
        const Index place = threadIdx.x * mass_tile_thread_items + static_cast<Index>(k);
        if (place < items.size()) out[items(place)] = made[k];
      }
      return;
    }
    __syncthreads();  // before the storage is reused
    if (items.size() == mass_tile_items) {
      Store(storage.store).Store(out + items(0), made);
    } else {
      Store(storage.store).Store(out + items(0), made, static_cast<int>(items.size()));
    }
  });
}

}  // namespace detail

/// Writes `of(mass)`, where `of` is a device function, for each of the `weights` to `out`. `tiles`
/// and `summary` are the results of `merge::balance_tiles` with `map`; all are in device memory.
/// Invalid weights are treated as equal weights.
///
/// @note Asynchronous, in stream order; no allocation.
template <class T, class Out, class Of>
void write_masses_on_device(std::span<const T> weights, const DeviceMassTiles& tiles,
                            const DeviceWeightSummary* summary, const Of& of, Out* out,
                            cudaStream_t stream) {
  const Index count = mass_tile_count(tiles.map.items);
  detail::write_tile_masses<<<count, mass_tile_threads, 0, stream>>>(weights.data(), tiles.map,
                                                                     tiles.tiles, summary, of, out);
  check_launch("write_tile_masses");
}

}  // namespace wrsgpu
