#include "wrsgpu/construction/device_mass_tiles.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

using Word = unsigned long long;  // NOLINT(google-runtime-int): the type of atomic operations

constexpr int no_shift = std::numeric_limits<int>::max();

/// What all tiles find out together.
struct TileTotals {
  Word first_unfit;   // index of the first unfit weight, or all ones
  Word largest_bits;  // of the largest weight, as a double
  int least_shift;    // of a tile with weight, or `no_shift`
  Word coarse;        // sum of `coarse_tile_sum`
};

__global__ void begin_totals(TileTotals* totals) { *totals = {~Word{0}, 0, no_shift, 0}; }

/// The same value for all threads: that of thread 0.
template <class T>
__device__ T broadcast(T value) {
  __shared__ T shared;
  __syncthreads();  // the last one may still be read
  if (threadIdx.x == 0) shared = value;
  __syncthreads();
  return shared;
}

/// Step 1.
template <class T>
__global__ void __launch_bounds__(mass_tile_threads)
    sum_tiles(const T* weights, Index size, TileSum* sums, TileTotals* totals) {
  using Largest = cub::BlockReduce<T, mass_tile_threads>;
  using Sum = cub::BlockReduce<Word, mass_tile_threads>;
  __shared__ typename Largest::TempStorage largest_storage;
  __shared__ typename Sum::TempStorage sum_storage[2];
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  const auto item = [&](int k) { return begin + k * mass_tile_threads + threadIdx.x; };
  T weight[mass_tile_thread_items];
  T largest = 0;
  bool fit = true;
#pragma unroll
  for (int k = 0; k < mass_tile_thread_items; ++k) {
    weight[k] = item(k) < size ? weights[item(k)] : T{0};
    fit = fit && weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max();
    largest = weight[k] > largest ? weight[k] : largest;
  }
  if (!fit) {
    for (int k = 0; k < mass_tile_thread_items; ++k) {
      if (weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max()) continue;
      atomicMin(&totals->first_unfit, item(k));
    }
  }
  largest = broadcast(Largest(largest_storage).Reduce(largest, ::cuda::maximum<>{}));
  if (!(largest > 0 && largest <= std::numeric_limits<T>::max())) {
    if (threadIdx.x == 0) sums[blockIdx.x] = {0, 0};
    return;
  }
  const auto sum_of = [&](int shift, typename Sum::TempStorage& storage) {
    const IntegerWeight<T> integer(shift);
    Word sum = 0;
#pragma unroll
    for (int k = 0; k < mass_tile_thread_items; ++k) sum += integer(weight[k]);
    return broadcast(Sum(storage).Sum(sum));
  };
  const int coarse = coarse_shift(static_cast<double>(largest));
  const int shift = fine_shift(coarse, sum_of(coarse, sum_storage[0]));
  const Word sum = sum_of(shift, sum_storage[1]);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = {sum, shift};
  if (shift < totals->least_shift) atomicMin(&totals->least_shift, shift);
  // Bits of numbers that are not negative are in their order.
  const auto bits = static_cast<Word>(__double_as_longlong(static_cast<double>(largest)));
  if (bits > totals->largest_bits) atomicMax(&totals->largest_bits, bits);
}

constexpr int threads = 256;

/// The first sum of step 2.
__global__ void __launch_bounds__(threads)
    add_coarse_sums(const TileSum* sums, Index tiles, TileTotals* totals) {
  using Sum = cub::BlockReduce<Word, threads>;
  __shared__ typename Sum::TempStorage storage;
  Word sum = 0;
  for (Index tile = blockIdx.x * threads + threadIdx.x; tile < tiles; tile += gridDim.x * threads) {
    sum += coarse_tile_sum(sums[tile], totals->least_shift);
  }
  sum = Sum(storage).Sum(sum);
  if (threadIdx.x == 0) atomicAdd(&totals->coarse, sum);
}

struct CommonSum {
  const TileSum* sums;
  const TileTotals* totals;
  __device__ std::uint64_t operator()(Index tile) const {
    return common_tile_sum(sums[tile], totals->least_shift, detail::digits(totals->coarse));
  }
};

/// Step 3, from the inclusive prefix sums of step 2.
__global__ void __launch_bounds__(threads)
    finish_tiles(const TileSum* sums, const std::uint64_t* prefix, Index tiles, Index size,
                 const TileTotals* totals, MassTile* out, DeviceWeightSummary* summary) {
  const Index tile = blockIdx.x * threads + threadIdx.x;
  if (tile >= tiles) return;
  const std::uint64_t total = prefix[tiles - 1];
  const bool has_weight = totals->least_shift != no_shift;
  // U_t times this power of two is the tile's weight.
  const int unit = detail::digits(totals->coarse) - 40 - totals->least_shift;
  const double weight = has_weight ? ldexp(static_cast<double>(total), unit) : 0;
  const bool all_fit = totals->first_unfit >= size;
  const bool fit = all_fit && has_weight && weight <= std::numeric_limits<double>::max();
  if (fit) {
    const std::uint64_t end = scaled_sum(prefix[tile], size, total);
    const std::uint64_t begin = tile == 0 ? 0 : scaled_sum(prefix[tile - 1], size, total);
    out[tile] = {sums[tile].shift, end - begin, TileLine(sums[tile].sum, end - begin)};
  } else {
    const std::uint64_t left = size - std::uint64_t{tile} * mass_tile_items;
    out[tile] = {0, (left < mass_tile_items ? left : mass_tile_items) * fixed_bucket, TileLine()};
  }
  if (tile > 0) return;
  const double largest = __longlong_as_double(static_cast<long long>(totals->largest_bits));
  const WeightSummary found = make_summary(weight, largest, size);
  *summary = {found, found.bucket(), all_fit ? size : totals->first_unfit, fit};
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
void find_mass_tiles_on_device(std::span<const T> weights, MassTile* tiles,
                               DeviceWeightSummary* summary, DeviceArena& arena,
                               cudaStream_t stream) {
  const auto size = static_cast<Index>(weights.size());
  const Index count = mass_tile_count(size);
  auto* totals = arena.take<TileTotals>(1);
  auto* sums = arena.take<TileSum>(count);
  auto* prefix = arena.take<std::uint64_t>(count);
  const auto common = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                      CommonSum{sums, totals});
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, common, prefix, count, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  begin_totals<<<1, 1, 0, stream>>>(totals);
  sum_tiles<<<count, mass_tile_threads, 0, stream>>>(weights.data(), size, sums, totals);
  check_launch("sum_tiles");
  add_coarse_sums<<<capped_blocks_for(count, threads, 256), threads, 0, stream>>>(sums, count,
                                                                                  totals);
  check_launch("add_coarse_sums");
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, common, prefix, count, stream));
  finish_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(sums, prefix, count, size,
                                                                   totals, tiles, summary);
  check_launch("finish_tiles");
}

template <class T>
void quantise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                        std::uint64_t* masses, DeviceArena& arena, cudaStream_t stream) {
  const auto size = static_cast<Index>(weights.size());
  auto* tiles = arena.take<MassTile>(mass_tile_count(size));
  find_mass_tiles_on_device(weights, tiles, summary, arena, stream);
  if (!arena.has_block()) return;
  write_all_masses<<<mass_tile_count(size), mass_tile_threads, 0, stream>>>(weights.data(), size,
                                                                            tiles, summary, masses);
  check_launch("write_all_masses");
}

template void find_mass_tiles_on_device(std::span<const float>, MassTile*, DeviceWeightSummary*,
                                        DeviceArena&, cudaStream_t);
template void find_mass_tiles_on_device(std::span<const double>, MassTile*, DeviceWeightSummary*,
                                        DeviceArena&, cudaStream_t);
template void quantise_on_device(std::span<const float>, DeviceWeightSummary*, std::uint64_t*,
                                 DeviceArena&, cudaStream_t);
template void quantise_on_device(std::span<const double>, DeviceWeightSummary*, std::uint64_t*,
                                 DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
