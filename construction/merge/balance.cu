#include "wrsgpu/construction/merge/balance.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/device_attribute.cuh"
#include "wrsgpu/core/following_launch.cuh"

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

[[nodiscard]] __device__ TileSides sides_of(Index tile, std::uint64_t mass, Index items) {
  const std::uint64_t capacity = tile_capacity(tile, items);
  return mass > capacity ? TileSides{mass - capacity, 0, 1} : TileSides{0, capacity - mass, 0};
}

/// Enters a tile in its list, `before` being the sides of the tiles before it.
__device__ void enter(const Balance& balance, Index tile, const TileSides& before,
                      const TileSides& own, const TileSides& all) {
  if (own.excess_tiles == 1) {
    balance.order[before.excess_tiles] = tile;
    balance.excess_before[before.excess_tiles] = before.excess;
    balance.handed_on_count[before.excess_tiles] = Balance::not_yet;
  } else {
    const Index place = tile - before.excess_tiles;
    balance.order[balance.block_of_lacking(place, all.excess_tiles)] = tile;
    balance.lack_before[place] = before.lack;
  }
  if (tile + 1 < balance.tiles) return;
  *balance.excess_count = all.excess_tiles;
  balance.excess_before[all.excess_tiles] = all.excess;
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

constexpr unsigned threads = 512;
/// So many tiles one block finishes sooner than a grid that has to wait for itself.
constexpr Index most_tiles_of_one_block = 4 * threads;

/// What each block of the grid below has in sum.
struct BlockSums {
  SummedTile* combined;
  WideSum* sums;
  TileSides* sides;

  [[nodiscard]] static BlockSums take(DeviceArena& arena, unsigned blocks) {
    return {arena.take<SummedTile>(blocks), arena.take<WideSum>(blocks),
            arena.take<TileSides>(blocks)};
  }
};

/// The sums over the blocks before this one, and over all.
template <class T>
struct GridSums {
  T before;
  T all;
};
/// `own` is that of this block, and `of_block` becomes that of each.
template <class Scan, class T, class Add>
[[nodiscard]] __device__ GridSums<T> sum_blocks(typename Scan::TempStorage& storage,
                                                GridSums<T>& shared, T* of_block, const T& own,
                                                const T& nothing, const Add& add) {
  if (gridDim.x == 1) return {nothing, own};
  if (threadIdx.x == 0) of_block[blockIdx.x] = own;
  cooperative_groups::this_grid().sync();
  T before;
  T all;
  Scan(storage).ExclusiveScan(threadIdx.x < gridDim.x ? of_block[threadIdx.x] : nothing, before,
                              nothing, add, all);
  if (threadIdx.x == blockIdx.x) shared = {before, all};
  __syncthreads();
  return shared;
}

/// Everything between the two passes over the weights, by one block, or a grid whose blocks wait
/// for each other, no more of them than threads in a block. Each thread has some neighbouring
/// tiles.
__global__ void __launch_bounds__(threads)
    finish_and_balance_tiles(const SummedTile* summed, Index items, MassTile* tiles,
                             DeviceWeightSummary* summary, Balance balance, BlockSums of_block) {
  using Combine = cub::BlockReduce<SummedTile, threads>;
  using Scan = cub::BlockScan<WideSum, threads>;
  using SidesScan = cub::BlockScan<TileSides, threads>;
  __shared__ union {
    typename Combine::TempStorage combine;
    typename Scan::TempStorage scan;
    typename SidesScan::TempStorage sides;
  } storage;
  __shared__ cub::Uninitialized<AllTiles> all_storage;
  AllTiles& all = all_storage.Alias();
  __shared__ GridSums<WideSum> grid_sums;
  __shared__ GridSums<TileSides> grid_sides;
  const Index grid_threads = gridDim.x * threads;
  const Index thread = blockIdx.x * threads + threadIdx.x;
  const Index share = (balance.tiles + grid_threads - 1) / grid_threads;
  const Index begin = min(thread * share, balance.tiles);
  const Index end = min(begin + share, balance.tiles);
  wait_for_earlier_kernels();

  // Step 2.
  SummedTile combined = SummedTile::nothing();
  for (Index tile = begin; tile < end; ++tile) combined = CombineTiles{}(combined, summed[tile]);
  combined = Combine(storage.combine).Reduce(combined, CombineTiles{});
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) of_block.combined[blockIdx.x] = combined;
    cooperative_groups::this_grid().sync();
    combined = threadIdx.x < gridDim.x ? of_block.combined[threadIdx.x] : SummedTile::nothing();
    combined = Combine(storage.combine).Reduce(combined, CombineTiles{});
  }
  if (threadIdx.x == 0) all = {combined, CommonUnit(), items};
  __syncthreads();
  const int least_shift = all.combined.total.shift;
  WideSum sum = 0;
  for (Index tile = begin; tile < end; ++tile) {
    sum += common_tile_sum(summed[tile].total, least_shift);
  }
  WideSum up_to;
  WideSum block_sum;
  Scan(storage.scan).ExclusiveSum(sum, up_to, block_sum);
  const auto sums = sum_blocks<Scan>(storage.scan, grid_sums, of_block.sums, block_sum, WideSum{0},
                                     [](WideSum a, WideSum b) { return a + b; });
  up_to += sums.before;
  if (threadIdx.x == 0) all.unit = CommonUnit(sums.all, items);
  __syncthreads();
  const DeviceWeightSummary found = all.summary();
  if (thread == 0) *summary = found;

  // Step 3, and the balance.
  TileSides sides{0, 0, 0};
  std::uint64_t mass_before = all.unit.mass_up_to(up_to);
  for (Index tile = begin; tile < end; ++tile) {
    up_to += common_tile_sum(summed[tile].total, least_shift);
    const std::uint64_t mass = all.unit.mass_up_to(up_to);
    const MassTile finished = all.finish(tile, summed[tile], found.fit, mass - mass_before);
    tiles[tile] = finished;
    sides = AddTileSides{}(sides, sides_of(tile, finished.mass, items));
    mass_before = mass;
  }
  TileSides sides_before;
  TileSides block_sides;
  SidesScan(storage.sides)
      .ExclusiveScan(sides, sides_before, TileSides{0, 0, 0}, AddTileSides{}, block_sides);
  const auto all_sides = sum_blocks<SidesScan>(storage.sides, grid_sides, of_block.sides,
                                               block_sides, TileSides{0, 0, 0}, AddTileSides{});
  sides_before = AddTileSides{}(all_sides.before, sides_before);
  for (Index tile = begin; tile < end; ++tile) {
    const TileSides own = sides_of(tile, tiles[tile].mass, items);
    enter(balance, tile, sides_before, own, all_sides.all);
    sides_before = AddTileSides{}(sides_before, own);
  }
  if (gridDim.x > 1) {
    cooperative_groups::this_grid().sync();
  } else {
    __syncthreads();
  }
  const Index donors = all_sides.all.excess_tiles;
  for (Index lack = thread; lack < balance.tiles - donors; lack += grid_threads) {
    find_donor_tile(balance, donors, lack);
  }
  const Index more_chunks = balance.more_chunks(donors);
  for (Index chunk = thread + 1; chunk <= more_chunks; chunk += grid_threads) {
    // The last one before which less is lacking than the excesses before the chunk.
    const std::uint64_t begin = balance.excess_before[chunk * balance.chunk_tiles];
    balance.chunk_tile[chunk] = balance.lacking_less_before(balance.tiles - donors, begin) - 1;
    balance.order[donors + chunk - 1] = Balance::chunk_bit | chunk;
  }
  for (Index block = balance.tiles + more_chunks + thread; block < balance.most_blocks();
       block += grid_threads) {
    balance.order[block] = Balance::nothing;
  }
}

}  // namespace

Balance finish_and_balance(const SummedTile* summed, Index items, MassTile* tiles,
                           DeviceWeightSummary* summary, DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(items);
  Balance balance{};
  balance.tiles = count;
  balance.chunk_tiles = Balance::chunk_tiles_of(count);
  balance.excess_count = arena.take<Index>(1);
  balance.order = arena.take<Index>(count + Balance::chunk_capacity(count));
  balance.handed_on_count = arena.take<Index>(count);
  balance.excess_before = arena.take<std::uint64_t>(count + std::size_t{1});
  balance.lack_before = arena.take<std::uint64_t>(count);
  balance.donor_tile = arena.take<Index>(count);
  balance.chunk_tile = arena.take<Index>(Balance::chunk_capacity(count) + std::size_t{1});
  const auto processors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const unsigned blocks = count <= most_tiles_of_one_block
                              ? 1
                              : std::min({blocks_for(count, threads), processors, threads});
  BlockSums of_block = BlockSums::take(arena, blocks);
  if (!arena.has_block()) return balance;
  if (blocks == 1) {
    launch_following(finish_and_balance_tiles, 1, threads, stream, summed, items, tiles, summary,
                     balance, of_block);
    check_launch("merge::finish_and_balance_tiles");
    return balance;
  }
  void* arguments[] = {&summed, &items, &tiles, &summary, &balance, &of_block};
  WRSGPU_CUDA_CHECK(
      cudaLaunchCooperativeKernel(finish_and_balance_tiles, blocks, threads, arguments, 0, stream));
  check_launch("merge::finish_and_balance_tiles");
  return balance;
}

}  // namespace wrsgpu::merge
