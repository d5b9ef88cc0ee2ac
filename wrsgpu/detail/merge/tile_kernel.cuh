// The kernel that writes the rows of all tiles.
#pragma once

#include <cuda/atomic>

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/spin_until.cuh"
#include "wrsgpu/detail/merge/tile.cuh"

namespace wrsgpu::merge {

/// The donors of a tile that lacks mass.
class TileImports {
 public:
  /// For the `place`-th tile that lacks mass.
  __device__ TileImports(const Balance& balance, Index excess_tiles, Index place)
      : balance_(balance),
        excess_tiles_(excess_tiles),
        chunk_tiles_(balance.chunk_tiles(excess_tiles)),
        place_(place) {
    const bool is_last = excess_tiles + place + 1 == balance.tiles;
    first_ = balance.donor_tile[place];
    behind_ = is_last ? excess_tiles : balance.donor_tile[place + 1];
  }

  [[nodiscard]] __device__ bool has_several_blocks() const {
    return behind_ - first_ >= 2 * chunk_tiles_;
  }
  /// For the block to which the tile is assigned.
  [[nodiscard]] __device__ Lacking first_block() const {
    const bool has_more_blocks = has_several_blocks();
    return {first_,          has_more_blocks ? end_of_chunk(first_ / chunk_tiles_) : excess_tiles_,
            has_more_blocks, balance_.lack_before[place_],
            first_,          last()};
  }
  /// For a block with one chunk of the donors.
  [[nodiscard]] __device__ Lacking block_of(Index chunk) const {
    return {chunk * chunk_tiles_,
            end_of_chunk(chunk),
            true,
            balance_.lack_before[place_],
            first_,
            last()};
  }

 private:
  /// The last tile from which it may receive, if the donors are to be merged at once.
  [[nodiscard]] __device__ Index last() const {
    return balance_.exports_many(excess_tiles_) ? Lacking::unknown
                                                : min(behind_, excess_tiles_ - 1);
  }
  [[nodiscard]] __device__ Index end_of_chunk(Index chunk) const {
    return min((chunk + 1) * chunk_tiles_, excess_tiles_);
  }

  const Balance& balance_;
  Index excess_tiles_;
  Index chunk_tiles_;
  Index place_;
  Index first_;
  Index behind_;
};

/// Prefetches the weights of the tile of a later block.
template <class Map, class T>
__device__ void prefetch_later_tile(Index later, const T* weights, const Balance& balance) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x >= 32 || later >= balance.max_blocks()) return;
  const Index number = balance.order[later];
  if (number >= balance.tiles) return;
  prefetch_tile(weights, Map{balance.map.items}[number]);
#endif
}

/// Performs the task of `block` in `Balance::order`, and prefetches for the block `later`.
template <class Map, class T, class Rows, class Shape>
__device__ void make_rows_of_block(TileStorage<T, Shape>& storage, Index block, Index later,
                                   const T* weights, const MassTile* tiles,
                                   const DeviceWeightSummary* summary, const Balance& balance,
                                   const MergeExports& exported, const Rows& rows) {
  Index number = balance.order[block];
  const Index excess_tiles = *balance.excess_count;
  if (number == Balance::no_work) return;
  const bool exports = block < excess_tiles;
  const bool has_chunk = (number & Balance::chunk_bit) != 0;
  // Loaded early to hide the latency.
  Lacking lacking{};
  if (has_chunk) {
    const Index chunk = number & ~Balance::chunk_bit;
    const Index place = balance.chunk_tile[chunk];
    const TileImports imports(balance, excess_tiles, place);
    if (!imports.has_several_blocks()) return;
    lacking = imports.block_of(chunk);
    number = balance.lacking_tile(place, excess_tiles);
  } else if (!exports) {
    const Index place = balance.block_of_lacking(block, excess_tiles);
    lacking = TileImports(balance, excess_tiles, place).first_block();
  }
  Tile<T, Rows, Shape, Map> tile(storage, rows, number, Map{balance.map.items}[number]);
  prefetch_later_tile<Map>(later, weights, balance);
  tile.read(weights, tiles[number], summary->valid);
  if (exports) {
    tile.merge_and_export(balance, exported, block);
  } else if (has_chunk) {
    tile.fill_by_chunk(balance, exported, lacking);
  } else {
    tile.merge_with_others(balance, exported, lacking);
  }
}

/// Writes the rows of all tiles except those of exported items, by `balance.max_blocks()` blocks of
/// `Shape::threads` threads. Blocks of tiles that lack mass wait for those of tiles with an excess,
/// which have lower indices and therefore start first.
template <class T, class Rows, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    make_rows(const T* weights, const MassTile* tiles, const DeviceWeightSummary* summary,
              Balance balance, MergeExports exported, Rows rows) {
  __shared__ TileStorage<T, Shape> storage;
  grid_dependency_sync();
  visit_map<Shape::threads == few_tiles_threads>(balance, [&]<class Map>(const Map& /*tiles*/) {
    make_rows_of_block<Map, T, Rows, Shape>(storage, blockIdx.x,
                                            later_block(Shape::resident_blocks), weights, tiles,
                                            summary, balance, exported, rows);
  });
}

/// Grid barrier that counts finished work: adds a block's work to a counter, and waits until other
/// resident blocks have done the rest of `all`. Their earlier writes are then visible. All threads
/// must call it.
__device__ inline void wait_for_all(Index& counter, Index done, Index all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<Index, cuda::thread_scope_device>(counter).fetch_add(
        done, cuda::memory_order_acq_rel);
    spin_until(counter, [all](Index count) { return count >= all; });
  }
  __syncthreads();
}

/// Tasks that blocks take in order, each two ahead. All threads must call each function.
class TaskQueue {
 public:
  __device__ explicit TaskQueue(Index& counter)
      : counter_(counter), current_(for_all(take())), next_(for_all(take())) {}

  [[nodiscard]] __device__ Index current() const { return current_; }
  [[nodiscard]] __device__ Index next() const { return next_; }
  /// Takes a task, which is in flight until `go_on`.
  __device__ void take_later() { taken_ = take(); }
  __device__ void go_on() {
    current_ = next_;
    next_ = for_all(taken_);
  }

  /// Takes some tasks of a counter, by the first thread.
  [[nodiscard]] static __device__ Index take_of(Index& counter, Index count) {
    return threadIdx.x == 0 ? atomicAdd(&counter, count) : 0;
  }
  /// The number of the first thread.
  [[nodiscard]] static __device__ Index for_all(Index number) {
    __shared__ Index shared;
    __syncthreads();
    if (threadIdx.x == 0) shared = number;
    __syncthreads();
    return shared;
  }

 private:
  [[nodiscard]] __device__ Index take() { return take_of(counter_, 1); }

  Index& counter_;
  Index current_;
  Index next_;
  Index taken_ = 0;
};

/// Writes the rows of all tiles and of exported items, if warp-parallel pairing does not support
/// the weights. All threads of any number of blocks of `Shape::threads` threads call it. Blocks
/// take tasks in order, each two tasks ahead, so every wait is for a task that a resident block
/// took earlier.
template <class Map, class T, class Rows, class Shape>
__device__ void make_all_rows(TileStorage<T, Shape>& storage, const T* weights,
                              const MassTile* tiles, const DeviceWeightSummary* summary,
                              const Balance& balance, const MergeExports& exported,
                              const Rows& rows) {
  Balance::Counters& counters = *balance.counters;
  Index made = 0;

  const Index excess_tiles = *balance.excess_count;
  const Index searches = balance.searches(excess_tiles);
  const SearchedSums sums{balance.excess_before, balance.lack_before};
  while (true) {
    const Index first =
        TaskQueue::for_all(TaskQueue::take_of(counters.searches_taken, Shape::threads));
    if (first >= searches) break;
    const Index number = first + threadIdx.x;
    if (number < searches) search(balance, sums, excess_tiles, number);
    made += min(Index{Shape::threads}, searches - first);
  }
  wait_for_all(counters.searches_done, made, searches);

  const Index blocks = balance.max_blocks();
  made = 0;
  TaskQueue tasks(counters.order_taken);
  for (; tasks.current() < blocks; ++made) {
    tasks.take_later();
    make_rows_of_block<Map, T, Rows, Shape>(storage, tasks.current(), tasks.next(), weights, tiles,
                                            summary, balance, exported, rows);
    tasks.go_on();
  }
  wait_for_all(counters.order_done, made, blocks);
  store_all_exports<Rows, Shape::threads, Map>(balance, exported, rows);
}

}  // namespace wrsgpu::merge
