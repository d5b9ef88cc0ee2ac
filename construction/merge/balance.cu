#include "wrsgpu/construction/merge/balance.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::merge {
namespace {

struct TileSides {
  std::uint64_t excess;
  std::uint64_t lack;
  Index excess_tiles;
};

struct AddTileSides {
  WRSGPU_HD TileSides operator()(const TileSides& a, const TileSides& b) const {
    return {a.excess + b.excess, a.lack + b.lack, a.excess_tiles + b.excess_tiles};
  }
};

struct SidesOf {
  const MassTile* tiles;
  Index items;
  WRSGPU_HD TileSides operator()(Index tile) const {
    const std::uint64_t mass = tiles[tile].mass;
    const std::uint64_t capacity = tile_capacity(tile, items);
    return mass > capacity ? TileSides{mass - capacity, 0, 1} : TileSides{0, capacity - mass, 0};
  }
};

/// Enters a tile in its list, `before` being the sides of the tiles before it.
__device__ void enter(const Balance& balance, Index tile, const TileSides& before,
                      const TileSides& own) {
  if (own.excess_tiles == 1) {
    balance.excess_tiles[before.excess_tiles] = tile;
    balance.excess_before[before.excess_tiles] = before.excess;
    balance.handed_on_count[before.excess_tiles] = Balance::not_yet;
  } else {
    balance.lack_tiles[tile - before.excess_tiles] = tile;
    balance.lack_before[tile - before.excess_tiles] = before.lack;
  }
  if (tile + 1 < balance.tiles) return;
  *balance.excess_count = before.excess_tiles + own.excess_tiles;
  balance.excess_before[before.excess_tiles + own.excess_tiles] = before.excess + own.excess;
}

__device__ void find_donor_tile(const Balance& balance, Index donors, Index lack) {
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

constexpr int threads = 256;

__global__ void __launch_bounds__(threads)
    sort_tiles(SidesOf sides, const TileSides* before, Balance balance) {
  const Index tile = blockIdx.x * threads + threadIdx.x;
  if (tile < balance.tiles) enter(balance, tile, before[tile], sides(tile));
}

__global__ void __launch_bounds__(threads) find_donor_tiles(Balance balance) {
  const Index lack = blockIdx.x * threads + threadIdx.x;
  const Index donors = *balance.excess_count;
  if (lack < balance.tiles - donors) find_donor_tile(balance, donors, lack);
}

void balance_in_many_blocks(const SidesOf& sides_of, const Balance& balance, DeviceArena& arena,
                            cudaStream_t stream) {
  const Index count = balance.tiles;
  auto* before = arena.take<TileSides>(count);
  const auto sides =
      thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}), sides_of);
  const auto scan = [&](std::byte* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(storage, bytes, sides, before, AddTileSides{},
                                                     TileSides{0, 0, 0}, count, stream));
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  scan(storage, bytes);
  sort_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(sides_of, before, balance);
  check_launch("merge::sort_tiles");
  find_donor_tiles<<<blocks_for(count, threads), threads, 0, stream>>>(balance);
  check_launch("merge::find_donor_tiles");
}

/// As many tiles as one block finishes and balances sooner than many blocks in many launches.
constexpr int one_block_threads = 512;
constexpr Index one_block_tiles = 16 * one_block_threads;

/// Everything between the two passes over the weights. Each thread has some neighbouring tiles.
__global__ void __launch_bounds__(one_block_threads)
    finish_and_balance_in_one_block(const SummedTile* summed, Index items, MassTile* tiles,
                                    DeviceWeightSummary* summary, Balance balance) {
  using Combine = cub::BlockReduce<SummedTile, one_block_threads>;
  using Scan = cub::BlockScan<WideSum, one_block_threads>;
  using SidesScan = cub::BlockScan<TileSides, one_block_threads>;
  __shared__ union {
    typename Combine::TempStorage combine;
    typename Scan::TempStorage scan;
    typename SidesScan::TempStorage sides;
  } storage;
  __shared__ AllTiles all;
  const Index share = (balance.tiles + one_block_threads - 1) / one_block_threads;
  const Index begin = min(threadIdx.x * share, balance.tiles);
  const Index end = min(begin + share, balance.tiles);

  // Step 2.
  SummedTile combined = SummedTile::nothing();
  for (Index tile = begin; tile < end; ++tile) combined = CombineTiles{}(combined, summed[tile]);
  combined = Combine(storage.combine).Reduce(combined, CombineTiles{});
  if (threadIdx.x == 0) all = {combined, CommonUnit(), items};
  __syncthreads();
  const int least_shift = all.combined.total.shift;
  WideSum sum = 0;
  for (Index tile = begin; tile < end; ++tile) {
    sum += common_tile_sum(summed[tile].total, least_shift);
  }
  WideSum up_to;
  WideSum total;
  Scan(storage.scan).ExclusiveSum(sum, up_to, total);
  if (threadIdx.x == 0) all.unit = CommonUnit(total, items);
  __syncthreads();
  const DeviceWeightSummary found = all.summary();
  if (threadIdx.x == 0) *summary = found;

  // Step 3, and the balance.
  const SidesOf sides_of{tiles, items};
  TileSides sides{0, 0, 0};
  std::uint64_t mass_before = all.unit.mass_up_to(up_to);
  for (Index tile = begin; tile < end; ++tile) {
    up_to += common_tile_sum(summed[tile].total, least_shift);
    const std::uint64_t mass = all.unit.mass_up_to(up_to);
    tiles[tile] = all.finish(tile, summed[tile], found.fit, mass - mass_before);
    sides = AddTileSides{}(sides, sides_of(tile));
    mass_before = mass;
  }
  TileSides sides_before;
  SidesScan(storage.sides).ExclusiveScan(sides, sides_before, TileSides{0, 0, 0}, AddTileSides{});
  for (Index tile = begin; tile < end; ++tile) {
    const TileSides own = sides_of(tile);
    enter(balance, tile, sides_before, own);
    sides_before = AddTileSides{}(sides_before, own);
  }
  __syncthreads();
  const Index donors = *balance.excess_count;
  for (Index lack = threadIdx.x; lack < balance.tiles - donors; lack += one_block_threads) {
    find_donor_tile(balance, donors, lack);
  }
}

}  // namespace

Balance finish_and_balance(const SummedTile* summed, Index items, MassTile* tiles,
                           DeviceWeightSummary* summary, DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(items);
  const Balance balance{count,
                        arena.take<Index>(1),
                        arena.take<Index>(count),
                        arena.take<Index>(count),
                        arena.take<std::uint64_t>(count + std::size_t{1}),
                        arena.take<Index>(count),
                        arena.take<std::uint64_t>(count),
                        arena.take<Index>(count)};
  if (count > one_block_tiles) {
    finish_tiles_on_device(summed, items, tiles, summary, arena, stream);
    balance_in_many_blocks(SidesOf{tiles, items}, balance, arena, stream);
  } else if (arena.has_block()) {
    finish_and_balance_in_one_block<<<1, one_block_threads, 0, stream>>>(summed, items, tiles,
                                                                         summary, balance);
    check_launch("merge::finish_and_balance_in_one_block");
  }
  return balance;
}

}  // namespace wrsgpu::merge
