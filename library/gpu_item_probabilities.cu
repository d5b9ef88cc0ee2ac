#include <algorithm>
#include <cub/block/block_store.cuh>

#include "wrsgpu/construction/device_mass_tiles.cuh"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/library/gpu_item_probabilities.cuh"
#include "wrsgpu/library/item_probabilities.hpp"

namespace wrsgpu {
namespace {

/// A block for each tile.
template <class T>
__global__ void __launch_bounds__(mass_tile_threads)
    write_tile_probabilities(const T* weights, Index size, const MassTile* tiles,
                             const DeviceWeightSummary* summary, float* probabilities) {
  using Store = cub::BlockStore<float, mass_tile_threads, mass_tile_thread_items,
                                cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename BlockMasses<T>::Storage masses;
    typename Store::TempStorage store;
  } storage;
  std::uint64_t masses[mass_tile_thread_items];
  BlockMasses<T>::read(storage.masses, weights, size, blockIdx.x, tiles[blockIdx.x], summary->fit,
                       masses);
  float found[mass_tile_thread_items];
#pragma unroll
  for (int k = 0; k < mass_tile_thread_items; ++k) found[k] = probability_of_mass(masses[k], size);
  __syncthreads();  // the storage is used again
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  const std::uint64_t left = size - begin;
  Store(storage.store)
      .Store(probabilities + begin, found,
             static_cast<int>(left < mass_tile_items ? left : mass_tile_items));
}

/// An arena without a block is only asked for its size.
void launch_with(DeviceArena& arena, WeightsView weights, float* probabilities,
                 cudaStream_t stream) {
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto size = static_cast<Index>(w.size());
    const Index count = mass_tile_count(size);
    auto* const summary = arena.take<DeviceWeightSummary>(1);
    auto* const tiles = arena.take<MassTile>(count);
    const SummedTile* const summed = sum_tiles_on_device(w, arena, stream);
    finish_tiles_on_device(summed, size, tiles, summary, arena, stream);
    if (!arena.has_block()) return;
    write_tile_probabilities<<<count, mass_tile_threads, 0, stream>>>(w.data(), size, tiles,
                                                                      summary, probabilities);
    check_launch("write_tile_probabilities");
  });
}

/// Bytes that it takes for `items` weights of either type.
std::size_t temporary_bytes(Index items) {
  const auto bytes = [&]<class T>(const T* absent) {
    DeviceArena arena;
    launch_with(arena, WeightsView::on_device(std::span(absent, items)), nullptr, nullptr);
    return arena.used();
  };
  return std::max(bytes(static_cast<const float*>(nullptr)),
                  bytes(static_cast<const double*>(nullptr)));
}

}  // namespace

DeviceItemProbabilities::DeviceItemProbabilities(Index items)
    : values_(items), temporary_(items > 0 ? temporary_bytes(items) : 0) {}

void DeviceItemProbabilities::launch(WeightsView weights, cudaStream_t stream) {
  DeviceArena arena(temporary_.data());
  launch_with(arena, weights, values_.data(), stream);
}

}  // namespace wrsgpu
