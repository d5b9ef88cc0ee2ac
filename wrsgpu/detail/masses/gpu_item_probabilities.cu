#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"

#include <algorithm>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/write_masses.cuh"

namespace wrsgpu {
namespace {

struct ProbabilityOf {
  Index items;
  [[nodiscard]] __device__ float operator()(std::uint64_t mass) const {
    return probability_of_mass(mass, items);
  }
};

constexpr unsigned probability_threads = 256;

/// Adds the parts of each row to the masses of its item and its alias.
__global__ void __launch_bounds__(probability_threads)
    add_masses(CompactRows rows, unsigned long long* masses) {
  const Index i = blockIdx.x * probability_threads + threadIdx.x;
  if (i >= rows.size()) return;
  const CompactRow row = rows.load(i);
  if (row.threshold > 0) atomicAdd(masses + i, 0ULL + row.threshold);
  atomicAdd(masses + row.alias, fixed_bucket - row.threshold);
}

__global__ void __launch_bounds__(probability_threads)
    masses_to_probabilities(const unsigned long long* masses, Index items, float* probabilities) {
  const Index i = blockIdx.x * probability_threads + threadIdx.x;
  if (i < items) probabilities[i] = probability_of_mass(masses[i], items);
}

/// Runs beside the last kernel of the construction, as those before it have found the tiles; only a
/// single tile is found by the last one itself.
__global__ void __launch_bounds__(probability_threads)
    copy_mass_tiles(DeviceMassTiles from, const DeviceWeightSummary* summary,
                    KeptMassTilesOut kept) {
  const Index count = mass_tile_count(from.map.items);
  if (count == 1) grid_dependency_sync();
  const Index i = blockIdx.x * probability_threads + threadIdx.x;
  if (i < count) kept.tiles[i] = from.tiles[i];
  if (i == 0) {
    const tile_sample::Findings* const found = from.map.found;
    *kept.kind = {from.map.items, found != nullptr ? *found : tile_sample::Findings{},
                  summary->valid};
  }
  grid_dependency_sync();  // kernels after this one wait for this one alone
}

/// The masses of an item's tile decide about its own: one block for each item.
template <class T, class Number>
__global__ void __launch_bounds__(mass_tile_threads)
    write_probabilities_of_items(const T* weights, KeptMassTiles kept, const Number* items,
                                 std::uint64_t count, float* probabilities) {
  __shared__ typename BlockMasses<T>::Storage storage;
  grid_dependency_sync();
  const KeptTilesKind kind = *kept.kind;
  for (std::uint64_t k = blockIdx.x; k < count; k += gridDim.x) {
    const auto item = static_cast<Index>(items[k]);
    DeviceTileMap{kind.items, &kind.found}.visit([&](const auto& map) {
      const Index tile = map.tile_of(item);
      const auto of_tile = map[tile];
      std::uint64_t masses[mass_tile_thread_items];
      BlockMasses<T>::read(storage, weights, of_tile, kept.tiles[tile], kind.valid, masses);
#pragma unroll
      for (int j = 0; j < mass_tile_thread_items; ++j) {
        const Index place = threadIdx.x * mass_tile_thread_items + static_cast<Index>(j);
        if (place < of_tile.size() && of_tile(place) == item) {
          probabilities[k] = probability_of_mass(masses[j], kind.items);
        }
      }
    });
    __syncthreads();  // before the storage is reused
  }
}

}  // namespace

void keep_mass_tiles(const DeviceMassTiles& tiles, const DeviceWeightSummary* summary,
                     const KeptMassTilesOut& kept, cudaStream_t stream) {
  launch_programmatic(
      copy_mass_tiles,
      {blocks_for(mass_tile_count(tiles.map.items), probability_threads), probability_threads},
      stream, tiles, summary, kept);
  check_launch("copy_mass_tiles");
}

template <class Number>
void write_probabilities_of(WeightsView weights, const KeptMassTiles& kept,
                            std::span<const Number> items, float* probabilities,
                            cudaStream_t stream) {
  if (items.empty()) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto kernel = write_probabilities_of_items<T, Number>;
    const auto blocks = static_cast<unsigned>(
        std::min<std::uint64_t>(items.size(), blocks_that_fill(kernel, mass_tile_threads)));
    launch_programmatic(kernel, {blocks, mass_tile_threads}, stream, w.data(), kept, items.data(),
                        std::uint64_t{items.size()}, probabilities);
  });
  check_launch("write_probabilities_of_items");
}
template void write_probabilities_of(WeightsView, const KeptMassTiles&, std::span<const Index>,
                                     float*, cudaStream_t);
template void write_probabilities_of(WeightsView, const KeptMassTiles&,
                                     std::span<const std::uint64_t>, float*, cudaStream_t);

void write_probabilities_on_device(const CompactRows& rows, float* probabilities,
                                   cudaStream_t stream) {
  const PoolBuffer<unsigned long long> masses(rows.size(), stream);
  WRSGPU_CUDA_CHECK(
      cudaMemsetAsync(masses.data(), 0, rows.size() * sizeof(unsigned long long), stream));
  const unsigned blocks = blocks_for(rows.size(), probability_threads);
  add_masses<<<blocks, probability_threads, 0, stream>>>(rows, masses.data());
  check_launch("add_masses");
  masses_to_probabilities<<<blocks, probability_threads, 0, stream>>>(masses.data(), rows.size(),
                                                                      probabilities);
  check_launch("masses_to_probabilities");
}

void write_probabilities_on_device(WeightsView weights, const DeviceMassTiles& tiles,
                                   const DeviceWeightSummary* summary, float* probabilities,
                                   cudaStream_t stream) {
  weights.visit([&](auto w) {
    write_masses_on_device(w, tiles, summary, ProbabilityOf{static_cast<Index>(w.size())},
                           probabilities, stream);
  });
}

}  // namespace wrsgpu
