#include "wrsgpu/construction/merge/balance.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::merge {
namespace {

constexpr int threads = 256;

struct Sides {
  std::uint64_t excess;
  std::uint64_t lack;
  Index excess_tiles;
};

struct Add {
  WRSGPU_HD Sides operator()(const Sides& a, const Sides& b) const {
    return {a.excess + b.excess, a.lack + b.lack, a.excess_tiles + b.excess_tiles};
  }
};

struct SidesOf {
  const MassTile* tiles;
  Index items;
  WRSGPU_HD Sides operator()(Index tile) const {
    const std::uint64_t mass = tiles[tile].mass;
    const std::uint64_t capacity = tile_capacity(tile, items);
    return mass > capacity ? Sides{mass - capacity, 0, 1} : Sides{0, capacity - mass, 0};
  }
};

__global__ void __launch_bounds__(threads)
    sort_tiles(SidesOf sides_of, const Sides* before, Balance balance) {
  const Index tile = blockIdx.x * threads + threadIdx.x;
  if (tile >= balance.tiles) return;
  const Sides here = before[tile];
  const Sides own = sides_of(tile);
  if (own.excess_tiles == 1) {
    balance.excess_tiles[here.excess_tiles] = tile;
    balance.excess_before[here.excess_tiles] = here.excess;
  } else {
    balance.lack_tiles[tile - here.excess_tiles] = tile;
    balance.lack_before[tile - here.excess_tiles] = here.lack;
  }
  if (tile + 1 < balance.tiles) return;
  *balance.excess_count = here.excess_tiles + own.excess_tiles;
  balance.excess_before[here.excess_tiles + own.excess_tiles] = here.excess + own.excess;
}

__global__ void __launch_bounds__(threads) find_donor_tiles(Balance balance) {
  const Index lack = blockIdx.x * threads + threadIdx.x;
  const Index donors = *balance.excess_count;
  if (lack >= balance.tiles - donors) return;
  const std::uint64_t begin = balance.lack_before[lack];
  Index low = 0;
  Index high = donors;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (balance.excess_before[middle + 1] <= begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  balance.donor_tile[lack] = low;
}

}  // namespace

Balance balance_tiles(const MassTile* tiles, Index items, DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(items);
  Balance balance{count,
                  arena.take<Index>(1),
                  arena.take<Index>(count),
                  arena.take<std::uint64_t>(count + std::size_t{1}),
                  arena.take<Index>(count),
                  arena.take<std::uint64_t>(count),
                  arena.take<Index>(count)};
  auto* before = arena.take<Sides>(count);
  const SidesOf sides_of{tiles, items};
  const auto sides =
      thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}), sides_of);
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(nullptr, bytes, sides, before, Add{},
                                                   Sides{0, 0, 0}, count, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return balance;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(storage, bytes, sides, before, Add{},
                                                   Sides{0, 0, 0}, count, stream));
  sort_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(sides_of, before, balance);
  check_launch("merge::sort_tiles");
  find_donor_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(balance);
  check_launch("merge::find_donor_tiles");
  return balance;
}

}  // namespace wrsgpu::merge
