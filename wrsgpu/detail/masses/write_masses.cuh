// Writes a function of each item's mass (wrsgpu/detail/masses/mass_tiles.hpp) to an array.
#pragma once

#include <cub/block/block_store.cuh>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu {

namespace detail {

/// Step 4, with one block per tile of `size` weights. Writes `of(mass)` for each item.
template <class T, class Out, class Of>
__global__ void __launch_bounds__(mass_tile_threads)
    write_tile_masses(const T* weights, Index size, const MassTile* tiles,
                      const DeviceWeightSummary* summary, const Of of, Out* out) {
  using Store = cub::BlockStore<Out, mass_tile_threads, mass_tile_thread_items,
                                cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename BlockMasses<T>::Storage masses;
    typename Store::TempStorage store;
  } storage;
  std::uint64_t masses[mass_tile_thread_items];
  BlockMasses<T>::read(storage.masses, weights, size, blockIdx.x, tiles[blockIdx.x], summary->valid,
                       masses);
  Out made[mass_tile_thread_items];
#pragma unroll
  for (int k = 0; k < mass_tile_thread_items; ++k) made[k] = of(masses[k]);
  __syncthreads();  // before the storage is reused
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  const std::uint64_t left = size - begin;
  if (left >= mass_tile_items) {
    Store(storage.store).Store(out + begin, made);
  } else {
    Store(storage.store).Store(out + begin, made, static_cast<int>(left));
  }
}

}  // namespace detail

/// Writes `of(mass)`, where `of` is a device function, for each of the `weights` to `out`. `tiles`
/// and `summary` are the results of `merge::balance_tiles`; all are in device memory. Invalid
/// weights are treated as equal weights.
///
/// @note Asynchronous, in stream order; no allocation.
template <class T, class Out, class Of>
void write_masses_on_device(std::span<const T> weights, const MassTile* tiles,
                            const DeviceWeightSummary* summary, const Of& of, Out* out,
                            cudaStream_t stream) {
  const auto size = static_cast<Index>(weights.size());
  detail::write_tile_masses<<<mass_tile_count(size), mass_tile_threads, 0, stream>>>(
      weights.data(), size, tiles, summary, of, out);
  check_launch("write_tile_masses");
}

}  // namespace wrsgpu
