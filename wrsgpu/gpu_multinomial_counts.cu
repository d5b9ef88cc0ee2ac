#include "wrsgpu/gpu_multinomial_counts.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/counts/count_tree.hpp"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

/// Writes the counts of a tile: one block each. Level by level, a thread for each node.
template <class T>
__global__ void __launch_bounds__(mass_tile_threads)
    count_tile(const T* weights, Index items, PrefixedTiles prefixed, Index tile_count,
               const DeviceWeightSummary* summary, std::uint64_t samples,
               const random::RandomSource source, std::uint64_t* counts) {
  using Scan = cub::BlockScan<std::uint64_t, mass_tile_threads>;
  __shared__ union {
    typename BlockMasses<T>::Storage masses;
    typename Scan::TempStorage scan;
  } storage;
  __shared__ std::uint64_t mass_before[mass_tile_items + 1];
  __shared__ std::uint64_t divided[mass_tile_items];
  if (!summary->valid) return;
  const Index tile = blockIdx.x;
  std::uint64_t masses[mass_tile_thread_items];
  BlockMasses<T>::read(storage.masses, weights, items, tile, prefixed.tiles[tile], true, masses);
  __syncthreads();  // before the storage is reused
  std::uint64_t all;
  Scan(storage.scan).ExclusiveSum(masses, masses, all);
#pragma unroll
  for (int k = 0; k < mass_tile_thread_items; ++k) {
    mass_before[threadIdx.x * mass_tile_thread_items + k] = masses[k];
  }
  const detail::CountTree tree(source.get());
  if (threadIdx.x == 0) {
    mass_before[mass_tile_items] = all;
    divided[0] = tree.of_tile(samples, prefixed.mass_before, tile_count, tile);
  }
  __syncthreads();
#pragma unroll 1
  for (int level = 0; level < detail::CountTree::tile_levels; ++level) {
    for (unsigned node = threadIdx.x; node < 1U << level; node += mass_tile_threads) {
      tree.divide(divided, mass_before, tile, level, node);
    }
    __syncthreads();
  }
  const std::uint64_t begin = std::uint64_t{tile} * mass_tile_items;
  for (std::uint64_t i = threadIdx.x; i < mass_tile_items && begin + i < items;
       i += mass_tile_threads) {
    counts[begin + i] = divided[i];
  }
}

/// Launches the kernels with storage from the arena, or computes its size, by the conventions of
/// `DeviceArena`.
template <class T>
void launch_counting(std::span<const T> weights, std::span<std::uint64_t> counts,
                     std::uint64_t samples, const random::RandomSource& source, DeviceArena& arena,
                     cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  // The summary is at the beginning of the storage, where `finish` reads it.
  auto* const summary = arena.take<DeviceWeightSummary>(1);
  const PrefixedTiles prefixed = find_prefixed_tiles(weights, summary, arena, stream);
  if (!arena.has_block()) return;
  const Index tile_count = mass_tile_count(items);
  count_tile<<<tile_count, mass_tile_threads, 0, stream>>>(
      weights.data(), items, prefixed, tile_count, summary, samples, source, counts.data());
  check_launch("multinomial_counts count_tile");
}

}  // namespace

GpuMultinomialCounter::GpuMultinomialCounter(Index max_items) : max_items_(max_items) {
  if (max_items == 0 || max_items > wrsgpu::max_items) {
    throw Error("argument 'max_items' is " + std::to_string(max_items) +
                "; it must be at least 1 and at most 2^32 - 2");
  }
  require_cuda_device();
  std::size_t bytes = 0;
  const auto include = [&]<class T>(T /*type*/) {
    DeviceArena sizes;
    launch_counting(std::span<const T>(static_cast<const T*>(nullptr), max_items), {}, 0, {}, sizes,
                    nullptr);
    bytes = std::max(bytes, sizes.used());
  };
  include(0.F);
  include(0.0);
  storage_ = DeviceBuffer<std::byte>(bytes);
  // No byte that `finish` copies is undefined.
  WRSGPU_CUDA_CHECK(cudaMemset(storage_.data(), 0, sizeof(DeviceWeightSummary)));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, RandomState state, cudaStream_t stream) {
  launch(weights, counts, samples, state, nullptr, stream);
}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, const RandomState* state,
                                  cudaStream_t stream) {
  require_on_device(state, "state");
  launch(weights, counts, samples, {}, state, stream);
}

void GpuMultinomialCounter::launch(WeightsView weights, std::span<std::uint64_t> counts,
                                   std::uint64_t samples, RandomState state,
                                   const RandomState* state_on_device, cudaStream_t stream) {
  check_size_and_memory(weights, Device::cuda);
  detail::require_multinomial_counts(counts.size(), weights.size());
  if (weights.size() > max_items_) {
    throw Error("count: argument 'weights' has " + std::to_string(weights.size()) +
                " items; memory is reserved for " + std::to_string(max_items_));
  }
  require_on_device(counts.data(), "counts");
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights");
    DeviceArena arena(storage_.span());
    launch_counting(w, counts, samples, {state, state_on_device}, arena, stream);
  });
  weights_ = weights;
}

void GpuMultinomialCounter::finish(cudaStream_t stream) {
  if (!weights_) throw Error("finish: nothing was counted; call count() first");
  static_cast<void>(read_summary(
      *weights_, reinterpret_cast<const DeviceWeightSummary*>(storage_.data()), stream));
}

}  // namespace wrsgpu
