#include "wrsgpu/construction/device_mass_tiles.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <limits>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

/// Step 1.
template <class T>
__global__ void __launch_bounds__(mass_tile_threads)
    sum_tiles(const T* weights, Index size, SummedTile* tiles) {
  using Largest = cub::BlockReduce<T, mass_tile_threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using First =
      cub::BlockReduce<std::uint64_t, mass_tile_threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using Sum = cub::BlockReduce<WideSum, mass_tile_threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ struct {
    typename Largest::TempStorage largest;
    typename First::TempStorage first;
    typename Sum::TempStorage sum;
    T tile_largest;
  } storage;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  const auto item = [&](int k) { return begin + k * mass_tile_threads + threadIdx.x; };
  T weight[mass_tile_thread_items];
  if (size - begin >= mass_tile_items) {
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) weight[k] = weights[item(k)];
  } else {
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) {
      weight[k] = item(k) < size ? weights[item(k)] : T{0};
    }
  }
  T largest = 0;
  bool fit = true;
#pragma unroll
  for (int k = 0; k < mass_tile_thread_items; ++k) {
    fit = fit && weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max();
    largest = weight[k] > largest ? weight[k] : largest;
  }
  largest = Largest(storage.largest).Reduce(largest, ::cuda::maximum<>{});
  if (threadIdx.x == 0) storage.tile_largest = largest;
  const bool all_fit = __syncthreads_and(fit ? 1 : 0) != 0;
  largest = storage.tile_largest;
  SummedTile tile{{0, SummedTile::no_shift}, static_cast<double>(largest), none};
  if (!all_fit) {
    std::uint64_t first = none;
#pragma unroll
    for (int k = mass_tile_thread_items - 1; k >= 0; --k) {
      const bool is_fit = weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max();
      first = is_fit ? first : item(k);
    }
    tile.first_unfit = First(storage.first).Reduce(first, ::cuda::minimum<>{});
  } else if (largest > 0) {
    const int shift = largest_shift(static_cast<double>(largest));
    const IntegerWeight<T> integer(shift);
    WideSum sum = 0;
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) sum += integer(weight[k]);
    sum = Sum(storage.sum).Sum(sum);
    if (threadIdx.x == 0) tile.total = normalised(sum, shift);
  }
  if (threadIdx.x == 0) tiles[blockIdx.x] = tile;
}

constexpr int threads = 256;

/// Step 2.
struct CommonSum {
  const SummedTile* tiles;
  const SummedTile* combined;
  __device__ WideSum operator()(Index tile) const {
    return common_tile_sum(tiles[tile].total, combined->total.shift);
  }
};

/// Step 3.
__global__ void __launch_bounds__(threads)
    finish_tiles(const SummedTile* summed, const SummedTile* combined, const WideSum* prefix,
                 Index tiles, Index items, MassTile* out, DeviceWeightSummary* summary) {
  const Index tile = blockIdx.x * threads + threadIdx.x;
  if (tile >= tiles) return;
  const AllTiles all{*combined, CommonUnit(prefix[tiles - 1], items), items};
  const DeviceWeightSummary found = all.summary();
  const std::uint64_t before = tile == 0 ? 0 : all.unit.mass_up_to(prefix[tile - 1]);
  out[tile] = all.finish(tile, summed[tile], found.fit, all.unit.mass_up_to(prefix[tile]) - before);
  if (tile == 0) *summary = found;
}

/// Step 4.
template <class T>
__global__ void __launch_bounds__(mass_tile_threads)
    write_all_masses(const T* weights, Index size, const MassTile* tiles,
                     const DeviceWeightSummary* summary, std::uint64_t* masses) {
  using Store = cub::BlockStore<std::uint64_t, mass_tile_threads, mass_tile_thread_items,
                                cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename BlockMasses<T>::Storage masses;
    typename Store::TempStorage store;
  } storage;
  std::uint64_t mass[mass_tile_thread_items];
  BlockMasses<T>::read(storage.masses, weights, size, blockIdx.x, tiles[blockIdx.x], summary->fit,
                       mass);
  __syncthreads();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  const std::uint64_t left = size - begin;
  if (left >= mass_tile_items) {
    Store(storage.store).Store(masses + begin, mass);
  } else {
    Store(storage.store).Store(masses + begin, mass, static_cast<int>(left));
  }
}

}  // namespace

template <class T>
SummedTile* sum_tiles_on_device(std::span<const T> weights, DeviceArena& arena,
                                cudaStream_t stream) {
  const auto size = static_cast<Index>(weights.size());
  const Index count = mass_tile_count(size);
  auto* tiles = arena.take<SummedTile>(count);
  if (!arena.has_block()) return tiles;
  sum_tiles<<<count, mass_tile_threads, 0, stream>>>(weights.data(), size, tiles);
  check_launch("sum_tiles");
  return tiles;
}

void finish_tiles_on_device(const SummedTile* summed, Index items, MassTile* tiles,
                            DeviceWeightSummary* summary, DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(items);
  auto* combined = arena.take<SummedTile>(1);
  auto* prefix = arena.take<WideSum>(count);
  const auto sums = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                    CommonSum{summed, combined});
  const auto run = [&](std::byte* storage, std::size_t& bytes) {
    // One after the other in the same storage.
    std::size_t most = 0;
    const auto step = [&](auto&& call) {
      std::size_t needed = bytes;
      call(needed);
      most = std::max(most, needed);
    };
    step([&](std::size_t& needed) {
      WRSGPU_CUDA_CHECK(cub::DeviceReduce::Reduce(storage, needed, summed, combined, count,
                                                  CombineTiles{}, SummedTile::nothing(), stream));
    });
    step([&](std::size_t& needed) {
      WRSGPU_CUDA_CHECK(
          cub::DeviceScan::InclusiveSum(storage, needed, sums, prefix, count, stream));
    });
    bytes = most;
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  run(storage, bytes);
  finish_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(summed, combined, prefix, count,
                                                                   items, tiles, summary);
  check_launch("finish_tiles");
}

template <class T>
void quantise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                        std::uint64_t* masses, DeviceArena& arena, cudaStream_t stream) {
  const auto size = static_cast<Index>(weights.size());
  auto* tiles = arena.take<MassTile>(mass_tile_count(size));
  const SummedTile* const summed = sum_tiles_on_device(weights, arena, stream);
  finish_tiles_on_device(summed, size, tiles, summary, arena, stream);
  if (!arena.has_block()) return;
  write_all_masses<<<mass_tile_count(size), mass_tile_threads, 0, stream>>>(weights.data(), size,
                                                                            tiles, summary, masses);
  check_launch("write_all_masses");
}

template SummedTile* sum_tiles_on_device(std::span<const float>, DeviceArena&, cudaStream_t);
template SummedTile* sum_tiles_on_device(std::span<const double>, DeviceArena&, cudaStream_t);
template void quantise_on_device(std::span<const float>, DeviceWeightSummary*, std::uint64_t*,
                                 DeviceArena&, cudaStream_t);
template void quantise_on_device(std::span<const double>, DeviceWeightSummary*, std::uint64_t*,
                                 DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
