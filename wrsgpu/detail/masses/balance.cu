#include "wrsgpu/detail/masses/balance.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/util_type.cuh>

#include "wrsgpu/detail/core/block_scan.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cluster.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"

namespace wrsgpu::merge {
namespace {

constexpr unsigned threads = 512;  // of a block, at most
/// Up to this many tiles, one block is faster than a grid with barriers.
constexpr Index max_single_block_tiles = 4 * threads;

/// The largest weight, the index of the first invalid one, and as shift the smallest one among
/// tiles with weight.
[[nodiscard]] __device__ SummedTile combine_tiles(const SummedTile& a, const SummedTile& b) {
  const int shift_a = a.total.sum > 0 ? a.total.shift : SummedTile::no_shift;
  const int shift_b = b.total.sum > 0 ? b.total.shift : SummedTile::no_shift;
  return {{a.total.sum | b.total.sum, shift_a < shift_b ? shift_a : shift_b},
          a.largest > b.largest ? a.largest : b.largest,
          a.first_invalid < b.first_invalid ? a.first_invalid : b.first_invalid};
}

/// Totals over some tiles: the excesses, the number of tiles with an excess, and the number of
/// other tiles that are `EarlyTiles`.
struct Excesses {
  std::uint64_t sum = 0;
  Index tiles = 0;
  Index early = 0;

  [[nodiscard]] __device__ friend Excesses operator+(const Excesses& a, const Excesses& b) {
    return {a.sum + b.sum, a.tiles + b.tiles, a.early + b.early};
  }
  template <class Shuffle>
  [[nodiscard]] __device__ Excesses shuffled(const Shuffle& shuffle) const {
    return {shuffle(sum), shuffle(tiles), shuffle(early)};
  }
};

/// Sums of tile weights, in a common unit.
using TileSums = TwoWords<std::uint64_t>;

[[nodiscard]] __device__ Excesses excess_of(Index tile, std::uint64_t mass, Index items) {
  const std::uint64_t capacity = tile_capacity(tile, items);
  return mass > capacity ? Excesses{mass - capacity, 1, 0} : Excesses{};
}

/// Selects the tiles without an excess that are processed before the rest: the upper half, and
/// those tiles of the lower half whose deficit is more than twice the average of their neighbours'.
/// The latter take long, as most of them receive from many tiles; at the end, no other tiles would
/// be left to overlap with them. They follow the upper half, because many of them would wait at the
/// same time otherwise.
class EarlyTiles {
 public:
  /// Selects no tile.
  EarlyTiles() = default;
  /// All lanes of a warp must call it. `lack` and `lacking` are the deficit of the lane's own tiles
  /// and the number of these without an excess.
  __device__ EarlyTiles(Index tiles, std::uint64_t lack, Index lacking)
      : upper_(tiles / 2), lack_(warp_sum(lack)), lacking_(warp_sum(lacking)) {}
  [[nodiscard]] __device__ bool operator()(Index tile, std::uint64_t lack) const {
    return tile >= upper_ || lack * lacking_ > 2 * lack_;
  }

 private:
  Index upper_ = ~Index{0};
  std::uint64_t lack_ = 0;
  Index lacking_ = 0;
};

/// Copies in a block's shared memory: a search is bound by the latency of its reads.
struct SingleBlockSums {
  std::uint64_t excess_before[max_single_block_tiles + 1];
  std::uint64_t lack_before[max_single_block_tiles];
};

/// Enters a tile in its list: `before` are the excesses of the preceding tiles, `lack_before` is
/// the sum of their deficits.
__device__ void enter(const Balance& balance, const SearchedSums& searched, Index tile,
                      const MassTile& finished, const Excesses& before, std::uint64_t lack_before,
                      const Excesses& own, const Excesses& all) {
  if (balance.is_warp_parallel()) {
    const bool exports = own.tiles == 1;
    // Among tiles of the same kind, later tiles come first.
    const Index place = exports          ? Balance::pairing_place(before.tiles, all.tiles)
                        : own.early == 1 ? all.tiles + all.early - 1 - before.early
                                         : balance.tiles - 1 - (tile - before.tiles - before.early);
    balance.pairing_tiles[place] = {finished.slope, finished.mass,
                                    exports ? before.sum : lack_before, finished.shift, tile};
  }
  if (own.tiles == 1) {
    balance.place[tile] = before.tiles | Balance::excess_bit;
    balance.order[before.tiles] = tile;
    balance.excess_before[before.tiles] = before.sum;
    searched.excess_before[before.tiles] = before.sum;
    balance.exported_count[before.tiles] = Balance::not_yet;
  } else {
    const Index place = tile - before.tiles;
    balance.place[tile] = place;
    balance.order[balance.block_of_lacking(place, all.tiles)] = tile;
    balance.lack_before[place] = lack_before;
    searched.lack_before[place] = lack_before;
  }
  balance.chosen_count[tile] = Balance::not_yet;
  if (tile + 1 < balance.tiles) return;
  *balance.excess_count = all.tiles;
  const tile_sample::Findings* const found = balance.map.found;
  const bool are_mostly_heavy = found != nullptr && found->are_mostly_heavy;
  if (balance.is_warp_parallel() && are_mostly_heavy && all.tiles > 0) {
    *balance.overflow_count = Balance::merge_deficits;
  }
  balance.excess_before[all.tiles] = all.sum;
  searched.excess_before[all.tiles] = all.sum;
}

/// Barriers and exchange among the blocks of the kernel below: a single block, a cluster, or a
/// grid.
[[nodiscard]] __device__ SyncScope grid_sync_scope() {
  if (gridDim.x == 1) return SyncScope::block;
  return is_one_cluster() ? SyncScope::cluster : SyncScope::grid;
}
__device__ void sync_grid() { cooperative_groups::this_grid().sync(); }
/// Barrier for all threads of all blocks.
__device__ void sync_blocks(SyncScope scope) {
  if (scope == SyncScope::block) {
    __syncthreads();
  } else if (scope == SyncScope::cluster) {
    sync_cluster();
  } else {
    sync_grid();
  }
}

/// Exchange among the blocks of a cluster.
constexpr unsigned max_cluster_blocks = 16;
template <class T>
struct ClusterExchange {
  T of_block[max_cluster_blocks];

  /// Each lane gets another block's value, or `identity`. All blocks must be resident. May be
  /// called only once.
  [[nodiscard]] __device__ T exchange(const T& told, const T& identity) {
    if (threadIdx.x < gridDim.x) *in_cluster_block(of_block + blockIdx.x, threadIdx.x) = told;
    sync_cluster();
    const unsigned lane = threadIdx.x % 32;
    return lane < gridDim.x ? of_block[lane] : identity;
  }
};

/// Block-wide reduction by `combine_tiles`, returned to all threads. Each warp reduces its own
/// values, then every warp reduces the results of all warps: few steps, each bound by latency.
class CombineBlock {
 public:
  /// May be called again after another barrier.
  [[nodiscard]] __device__ SummedTile operator()(const SummedTile& own) {
    const bool all_valid = __syncthreads_and(own.first_invalid == ~std::uint64_t{0} ? 1 : 0) != 0;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const SummedTile combined = of_warp(own, all_valid);
    if (lane == 0) of_warps_[threadIdx.x / 32] = combined;
    __syncthreads();
    const int warps = static_cast<int>(blockDim.x) / 32;
    return of_warp(lane < warps ? of_warps_[lane] : SummedTile::identity(), all_valid);
  }
  /// Cluster-wide reduction of the blocks' results.
  [[nodiscard]] __device__ SummedTile of_cluster(const SummedTile& of_block) {
    const SummedTile other = of_cluster_.exchange(of_block, SummedTile::identity());
    return of_warp(other, __all_sync(~0U, other.first_invalid == ~std::uint64_t{0} ? 1 : 0) != 0);
  }

 private:
  [[nodiscard]] __device__ static SummedTile of_warp(const SummedTile& own, bool all_valid) {
    const int shift = warp_min(own.total.sum > 0 ? own.total.shift : SummedTile::no_shift);
    // The bit patterns of non-negative numbers are ordered like the numbers.
    const auto largest = warp_max(static_cast<std::uint64_t>(__double_as_longlong(own.largest)));
    return {{shift < SummedTile::no_shift ? std::uint64_t{1} : 0, shift},
            __longlong_as_double(static_cast<long long>(largest)),
            all_valid ? own.first_invalid : warp_min(own.first_invalid)};
  }

  SummedTile of_warps_[threads / 32];
  ClusterExchange<SummedTile> of_cluster_;
};

template <class Sum>
struct ScanStorage {
  typename BlockScan<Sum, threads>::Storage in_block;
  typename BlockScan<Sum, threads>::Storage in_grid;
  Sum blocks_before;
  ClusterExchange<Sum> of_cluster;
};

/// The total of each block of the following kernel.
struct BlockSums {
  SummedTile* combined;
  TileSums* sums;
  Excesses* excesses;

  [[nodiscard]] static BlockSums take(DeviceArena& arena, unsigned blocks) {
    return {arena.take<SummedTile>(blocks), arena.take<TileSums>(blocks),
            arena.take<Excesses>(blocks)};
  }
};

/// Scan of `own` over the threads of all blocks. The blocks of a grid exchange their sums through
/// `of_block`, the blocks of a cluster directly.
template <class Sum>
[[nodiscard]] __device__ BlockSum<Sum> sum_blocks(SyncScope scope, ScanStorage<Sum>& storage,
                                                  Sum* of_block, const Sum& own) {
  using Scan = BlockScan<Sum, threads>;
  const BlockSum<Sum> in_block = Scan::exclusive(storage.in_block, own);
  if (scope == SyncScope::block) return in_block;
  if (scope == SyncScope::cluster) {
    const BlockSum<Sum> blocks = Scan::template of_lanes<max_cluster_blocks>(
        storage.of_cluster.exchange(in_block.all, Sum{}), blockIdx.x);
    return {blocks.before + in_block.before, blocks.all};
  }
  if (threadIdx.x == 0) of_block[blockIdx.x] = in_block.all;
  sync_grid();
  const BlockSum<Sum> in_grid =
      Scan::exclusive(storage.in_grid, threadIdx.x < gridDim.x ? of_block[threadIdx.x] : Sum{});
  if (threadIdx.x == blockIdx.x) storage.blocks_before = in_grid.before;
  __syncthreads();
  return {storage.blocks_before + in_block.before, in_grid.all};
}

/// Everything between the two passes over the weights, by one block, a cluster, or a cooperative
/// grid of at most as many blocks as a block has threads. Each thread has some consecutive tiles.
__global__ void __launch_bounds__(threads)
    finish_and_balance_tiles(const SummedTile* summed, Index items, MassTile* tiles,
                             DeviceWeightSummary* summary, Balance balance, BlockSums of_block) {
  __shared__ cub::Uninitialized<CombineBlock> combine_storage;
  CombineBlock& combine = combine_storage.Alias();
  __shared__ cub::Uninitialized<ScanStorage<TileSums>> sum_storage;
  __shared__ cub::Uninitialized<ScanStorage<Excesses>> excess_storage;
  __shared__ cub::Uninitialized<CommonUnit> unit_storage;
  CommonUnit& unit = unit_storage.Alias();
  __shared__ bool valid;
  __shared__ SingleBlockSums close;
  const Index grid_threads = gridDim.x * blockDim.x;
  const Index thread = blockIdx.x * blockDim.x + threadIdx.x;
  const Index share = (balance.tiles + grid_threads - 1) / grid_threads;
  const Index begin = min(thread * share, balance.tiles);
  const Index end = min(begin + share, balance.tiles);
  const SyncScope scope = grid_sync_scope();
  if (scope == SyncScope::cluster) arrive_at_cluster();
  grid_dependency_sync();
  // Lets the blocks of the following kernel become resident and take their first tiles.
  trigger_launch_completion();

  // Step 2. Usually one tile per thread, read once.
  const SummedTile first = begin < end ? summed[begin] : SummedTile::identity();
  const auto summed_tile = [&](Index tile) { return tile == begin ? first : summed[tile]; };
  SummedTile combined = first;
  for (Index tile = begin + 1; tile < end; ++tile) {
    combined = combine_tiles(combined, summed[tile]);
  }
  combined = combine(combined);
  if (scope == SyncScope::cluster) {
    wait_for_cluster();  // all blocks are running
    combined = combine.of_cluster(combined);
  } else if (scope == SyncScope::grid) {
    if (threadIdx.x == 0) of_block.combined[blockIdx.x] = combined;
    sync_grid();
    combined =
        combine(threadIdx.x < gridDim.x ? of_block.combined[threadIdx.x] : SummedTile::identity());
  }
  const int min_shift = combined.total.shift;
  TileSums sum{};
  for (Index tile = begin; tile < end; ++tile) {
    const WideSum common = common_tile_sum(summed_tile(tile).total, min_shift);
    sum = sum + TileSums{static_cast<std::uint64_t>(common), 0};
  }
  const BlockSum<TileSums> sums = sum_blocks(scope, sum_storage.Alias(), of_block.sums, sum);
  const WideSum total = sums.all.sum();
  WideSum prefix = sums.before.sum();
  // Two long computations, on two warps in parallel.
  if (threadIdx.x == 0) unit = CommonUnit(total, items);
  if (threadIdx.x == 32) {
    const DeviceWeightSummary found = summary_of(combined, total, items);
    valid = found.valid;
    if (blockIdx.x == 0) {
      *summary = found;
      *balance.overflow_count = found.valid ? 0 : Balance::merge_all;
      *balance.counters = {};
    }
  }
  __syncthreads();

  // Step 3, and the balance.
  Excesses excesses;
  std::uint64_t lack = 0;
  MassTile first_finished;
  const std::uint64_t mass_before = unit.prefix_mass(prefix);
  std::uint64_t mass_so_far = mass_before;
  for (Index tile = begin; tile < end; ++tile) {
    const SummedTile read = summed_tile(tile);
    prefix += common_tile_sum(read.total, min_shift);
    const std::uint64_t mass = unit.prefix_mass(prefix);
    const MassTile finished = finished_tile(tile, items, read, valid, mass - mass_so_far);
    tiles[tile] = finished;
    if (balance.mass_before != nullptr) {
      balance.mass_before[tile] = mass_so_far;
      if (tile + 1 == balance.tiles) balance.mass_before[tile + 1] = mass;
      mass_so_far = mass;
      continue;
    }
    if (tile == begin) first_finished = finished;
    const Excesses own = excess_of(tile, finished.mass, items);
    excesses = excesses + own;
    if (own.tiles == 0) lack += tile_capacity(tile, items) - finished.mass;
    mass_so_far = mass;
  }
  if (balance.mass_before != nullptr) return;
  const auto finished_again = [&](Index tile) {
    return tile == begin ? first_finished : tiles[tile];
  };
  EarlyTiles early_tiles;
  const auto excess_and_order = [&](Index tile, std::uint64_t mass) {
    Excesses own = excess_of(tile, mass, items);
    const bool is_early = own.tiles == 0 && early_tiles(tile, tile_capacity(tile, items) - mass);
    own.early = is_early ? 1 : 0;
    return own;
  };
  if (balance.is_warp_parallel()) {
    early_tiles = EarlyTiles(balance.tiles, lack, end - begin - excesses.tiles);
    for (Index tile = begin; tile < end; ++tile) {
      excesses.early += excess_and_order(tile, finished_again(tile).mass).early;
    }
  }
  const BlockSum<Excesses> all_excesses =
      sum_blocks(scope, excess_storage.Alias(), of_block.excesses, excesses);
  const Excesses all = all_excesses.all;
  Excesses before = all_excesses.before;
  // The capacity of the preceding tiles, less their mass, is the sum of their deficits less the sum
  // of their excesses; both are 0 for the tiles of equal weights.
  const std::uint64_t capacity_before = begin * (mass_tile_items * fixed_bucket);
  std::uint64_t lack_before = valid ? capacity_before - mass_before + before.sum : 0;
  const SearchedSums searched = balance.tiles <= max_single_block_tiles
                                    ? SearchedSums{close.excess_before, close.lack_before}
                                    : SearchedSums{balance.excess_before, balance.lack_before};
  for (Index tile = begin; tile < end; ++tile) {
    const MassTile finished = finished_again(tile);
    const Excesses own = excess_and_order(tile, finished.mass);
    enter(balance, searched, tile, finished, before, lack_before, own, all);
    before = before + own;
    lack_before += own.tiles == 1 ? 0 : tile_capacity(tile, items) - finished.mass;
  }
  if (balance.is_warp_parallel()) return;  // merge path searches itself if pairing fails
  sync_blocks(scope);
  // Both kinds of search concurrently: threads without work for one do the other.
  for (Index i = thread; i < balance.searches(all.tiles); i += grid_threads) {
    search(balance, searched, all.tiles, i);
  }
}

/// The largest possible cluster, with a thread for each tile. Its barrier is faster than that of a
/// grid, and it has fewer warps per multiprocessor.
struct Cluster {
  unsigned blocks;
  unsigned threads;  // per block; may exceed the maximum
};
[[nodiscard]] Cluster cluster_of(Index tiles) {
  const bool is_possible = tiles <= max_cluster_blocks * threads;
  const unsigned blocks =
      is_possible
          ? std::clamp(cluster_blocks_of(finish_and_balance_tiles, threads), 1U, max_cluster_blocks)
          : 1;
  return {blocks, blocks_for(blocks_for(tiles, blocks), 32) * 32};
}

}  // namespace

Balance finish_and_balance(const SummedTile* summed, const DeviceTileMap& map, MassTile* tiles,
                           DeviceWeightSummary* summary, BalanceFor use, DeviceArena& arena,
                           cudaStream_t stream) {
  const Index items = map.items;
  const Index count = mass_tile_count(items);
  Balance balance{};
  balance.map = map;
  balance.tiles = count;
  balance.overflow_count = arena.take<Index>(1);
  balance.counters = arena.take<Balance::Counters>(1);
  if (use == BalanceFor::prefix_sums) {
    balance.mass_before = arena.take<std::uint64_t>(count + std::size_t{1});
  } else {
    balance.place = arena.take<Index>(count);
    balance.excess_count = arena.take<Index>(1);
    balance.order = arena.take<Index>(count + Balance::chunk_capacity(count));
    if (use == BalanceFor::warp_parallel_pairing) {
      balance.pairing_tiles = arena.take<PairingTile>(count);
    }
    balance.exported_count = arena.take<Index>(count);
    balance.chosen_count = arena.take<Index>(count);
    balance.excess_before = arena.take<std::uint64_t>(count + std::size_t{1});
    balance.lack_before = arena.take<std::uint64_t>(count);
    balance.donor_tile = arena.take<Index>(count);
    balance.chunk_tile = arena.take<Index>(Balance::chunk_capacity(count) + std::size_t{1});
  }
  const auto processors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const unsigned blocks = count <= max_single_block_tiles
                              ? 1
                              : std::min({blocks_for(count, threads), processors, threads});
  BlockSums of_block = BlockSums::take(arena, blocks);
  if (!arena.has_block()) return balance;
  constexpr auto kernel = finish_and_balance_tiles;
  const auto launch = [&]<SyncScope scope>(unsigned grid, unsigned block) {
    launch_programmatic<scope>(kernel, {grid, block}, stream, summed, items, tiles, summary,
                               balance, of_block);
  };
  if (blocks == 1) {
    launch.template operator()<SyncScope::block>(1, threads);
  } else if (const auto cluster = cluster_of(count); cluster.threads <= threads) {
    launch.template operator()<SyncScope::cluster>(cluster.blocks, cluster.threads);
  } else {
    launch.template operator()<SyncScope::grid>(blocks, threads);
  }
  check_launch("merge::finish_and_balance_tiles");
  return balance;
}

}  // namespace wrsgpu::merge
