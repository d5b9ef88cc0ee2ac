// Prefix sums of light and heavy masses on the device.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_scan.cuh>

#include "construction/partition/items.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"

namespace wrsgpu::split {

/// Position p holds the mass of light item p; the heavy items follow the light ones.
template <class Source, class Element>
struct MassAt {
  Source source;
  partition::Items<Element> items;
  __device__ typename Source::Masses::Mass operator()(Index p) const {
    const Index lights = items.counts[0];
    const Element* element = p < lights ? items.light + p : items.heavy + (p - lights);
    return pack::mass_of(*element, source.get());
  }
};

/// Inclusive prefix sums of the masses of all `size` items, light ones first, into `sums`, by CUB.
/// One scan for both kinds: their numbers, known only on the device, add up to `size`. In
/// floating-point arithmetic the last bits differ from run to run. Follows the conventions of
/// `DeviceArena`.
template <class Source, class Element, class Mass>
void cub_prefix_sums(Source source, Index size, partition::Items<Element> items, Mass* sums,
                     DeviceArena& arena, cudaStream_t stream) {
  const auto input = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                     MassAt<Source, Element>{source, items});
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, input, sums, size, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, input, sums, size, stream));
}

/// Number of masses, known only on the device: the sum of the first `terms` of `counts`.
struct DeviceCount {
  const Index* counts;
  int terms;
  [[nodiscard]] __device__ Index operator()() const {
    return terms == 1 ? counts[0] : counts[0] + counts[1];
  }
};

/// The masses of one list.
template <class Source, class Element>
struct ListMassAt {
  Source source;
  const Element* list;
  __device__ typename Source::Masses::Mass operator()(Index p) const {
    return pack::mass_of(list[p], source.get());
  }
};

namespace bounded {

inline constexpr int threads = 256;
inline constexpr int thread_items = 8;
inline constexpr Index tile_items = threads * thread_items;

/// Global accesses of neighbouring threads are contiguous, and so are the items of a thread.
template <class Mass>
using Load = cub::BlockLoad<Mass, threads, thread_items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
template <class Mass>
using Store = cub::BlockStore<Mass, threads, thread_items, cub::BLOCK_STORE_WARP_TRANSPOSE>;

/// The `left` masses of the tile that begins at `begin`, followed by zeros.
template <class MassAt, class Mass>
__device__ void load_tile(typename Load<Mass>::TempStorage& storage, const MassAt& mass_at,
                          Index begin, int left, Mass (&masses)[thread_items]) {
  const auto input =
      thrust::make_transform_iterator(thrust::make_counting_iterator(begin), mass_at);
  Load<Mass>(storage).Load(input, masses, left, Mass{0});
  __syncthreads();
}

/// Number of items of the tile that begins at `begin`.
[[nodiscard]] __device__ inline int items_left(std::uint64_t begin, Index end) {
  const std::uint64_t left = end - begin;
  return static_cast<int>(left < tile_items ? left : tile_items);
}

/// Sets tile_sums[t] to the sum of the masses of tile t. One block of `threads` threads per tile;
/// blocks after the last of the `count()` masses, a number known only on the device, do nothing.
template <class MassAt, class Mass>
__global__ void __launch_bounds__(threads)
    add_tiles(MassAt mass_at, DeviceCount count, Mass* tile_sums) {
  using Reduce = cub::BlockReduce<Mass, threads>;
  __shared__ union {
    typename Load<Mass>::TempStorage load;
    typename Reduce::TempStorage reduce;
  } storage;
  const Index end = count();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items;
  if (begin >= end) return;
  Mass masses[thread_items];
  load_tile(storage.load, mass_at, static_cast<Index>(begin), items_left(begin, end), masses);
  const Mass sum = Reduce(storage.reduce).Sum(masses);
  if (threadIdx.x == 0) tile_sums[blockIdx.x] = sum;
}

/// One block. Turns the sums of the tiles into exclusive prefix sums.
template <class Mass>
__global__ void __launch_bounds__(1024) scan_tile_sums(DeviceCount count, Mass* tile_sums) {
  using Scan = cub::BlockScan<Mass, 1024>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ Mass before;
  const std::uint64_t tiles = (std::uint64_t{count()} + tile_items - 1) / tile_items;
  if (threadIdx.x == 0) before = Mass{0};
  for (std::uint64_t base = 0; base < tiles; base += 1024) {
    const std::uint64_t tile = base + threadIdx.x;
    Mass sum = tile < tiles ? tile_sums[tile] : Mass{0};
    Mass total;
    __syncthreads();
    Scan(storage).ExclusiveSum(sum, sum, total);
    if (tile < tiles) tile_sums[tile] = before + sum;
    __syncthreads();
    if (threadIdx.x == 0) before += total;
  }
}

/// Writes the inclusive sums of the masses to `sums`, given the sums before each tile. The launch
/// configuration is that of `add_tiles`.
template <class MassAt, class Mass>
__global__ void __launch_bounds__(threads)
    scan_tiles(MassAt mass_at, DeviceCount count, const Mass* tile_sums, Mass* sums) {
  using Scan = cub::BlockScan<Mass, threads>;
  __shared__ union {
    typename Load<Mass>::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store<Mass>::TempStorage store;
  } storage;
  const Index end = count();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items;
  if (begin >= end) return;
  const int left = items_left(begin, end);
  Mass masses[thread_items];
  load_tile(storage.load, mass_at, static_cast<Index>(begin), left, masses);
  Scan(storage.scan).InclusiveSum(masses, masses);
  __syncthreads();
  const Mass before = tile_sums[blockIdx.x];
  for (Mass& mass : masses) mass = before + mass;
  Store<Mass>(storage.store).Store(sums + begin, masses, left);
}

template <class MassAt, class Mass>
void inclusive_sums(MassAt mass_at, Index size, DeviceCount count, Mass* sums, DeviceArena& arena,
                    cudaStream_t stream) {
  const unsigned tiles = blocks_for(size, tile_items);
  auto* tile_sums = arena.take<Mass>(tiles);
  if (!arena.has_block()) return;
  add_tiles<<<tiles, threads, 0, stream>>>(mass_at, count, tile_sums);
  check_launch("split::add_tiles");
  scan_tile_sums<<<1, 1024, 0, stream>>>(count, tile_sums);
  check_launch("split::scan_tile_sums");
  scan_tiles<<<tiles, threads, 0, stream>>>(mass_at, count, tile_sums, sums);
  check_launch("split::scan_tiles");
}

}  // namespace bounded

/// Prefix sums of `items.counts` items, a number known only on the device and at most `size`: the
/// items that PSA+ has not packed. The order of additions is fixed.
template <class Source, class Element, class Mass>
void bounded_prefix_sums(Source source, Index size, partition::Items<Element> items, Mass* sums,
                         DeviceArena& arena, cudaStream_t stream) {
  bounded::inclusive_sums(MassAt<Source, Element>{source, items}, size,
                          DeviceCount{items.counts, 2}, sums, arena, stream);
}

/// Scans each kind separately, the heavy items into `heavy_sums` on `heavy_stream` (thesis 4.8.3),
/// which may equal `stream`. The caller orders the streams.
template <class Source, class Element, class Mass>
void separate_prefix_sums(Source source, Index size, partition::Items<Element> items, Mass* sums,
                          Mass* heavy_sums, DeviceArena& arena, cudaStream_t stream,
                          cudaStream_t heavy_stream) {
  bounded::inclusive_sums(ListMassAt<Source, Element>{source, items.light}, size,
                          DeviceCount{items.counts, 1}, sums, arena, stream);
  bounded::inclusive_sums(ListMassAt<Source, Element>{source, items.heavy}, size,
                          DeviceCount{items.counts + 1, 1}, heavy_sums, arena, heavy_stream);
}

}  // namespace wrsgpu::split
