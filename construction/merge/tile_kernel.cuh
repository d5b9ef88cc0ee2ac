// Makes the rows of all tiles.
#pragma once

#include <algorithm>

#include "wrsgpu/construction/merge/tile.cuh"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/following_launch.cuh"

namespace wrsgpu::merge {

/// What a tile that lacks mass takes from others.
class Takings {
 public:
  /// Of the `place`-th of those tiles.
  __device__ Takings(const Balance& balance, Index excess_tiles, Index place)
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
  /// For the block that has the tile.
  [[nodiscard]] __device__ Lacking first_block() const {
    const bool has_more_blocks = has_several_blocks();
    return {first_,          has_more_blocks ? end_of_chunk(first_ / chunk_tiles_) : excess_tiles_,
            has_more_blocks, balance_.lack_before[place_],
            first_,          last()};
  }
  /// For one that has a chunk of those that it takes from.
  [[nodiscard]] __device__ Lacking block_of(Index chunk) const {
    return {chunk * chunk_tiles_,
            end_of_chunk(chunk),
            true,
            balance_.lack_before[place_],
            first_,
            last()};
  }

 private:
  /// The last tile that it may take from, if those are to be merged together.
  [[nodiscard]] __device__ Index last() const {
    return balance_.hand_on_many(excess_tiles_) ? Lacking::unknown
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

/// Asks for the weights of the tile that a block will have that starts when this one ends, or that
/// it has itself then: it would wait for them.
template <class T, class Shape>
__device__ void prefetch_later_tile(Index block, const T* weights, Index items,
                                    const Balance& balance) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x > 0) return;
  Index multiprocessors;
  asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
  const Index later = block + Shape::resident_blocks * multiprocessors;
  if (later >= balance.most_blocks()) return;
  const Index number = balance.order[later];
  const std::uint64_t first = std::uint64_t{number} * mass_tile_items;
  const T* const from = weights + first;
  const bool is_full_tile = number < balance.tiles && first + mass_tile_items <= items;
  if (!is_full_tile || reinterpret_cast<std::uintptr_t>(from) % 16 > 0) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "n"(mass_tile_items * sizeof(T)));
#endif
}

/// What Balance::order says that `block` does.
template <class T, class Rows, class Shape>
__device__ void make_rows_of_block(TileStorage<T, Shape>& storage, Index block, const T* weights,
                                   Index items, const MassTile* tiles,
                                   const DeviceWeightSummary* summary, const Balance& balance,
                                   const HandedOn& handed_on, const Rows& rows) {
  Index number = balance.order[block];
  const Index excess_tiles = *balance.excess_count;
  if (number == Balance::nothing) return;
  const bool hands_on = block < excess_tiles;
  const bool has_chunk = (number & Balance::chunk_bit) != 0;
  // Loaded before it is needed.
  Lacking lacking{};
  if (has_chunk) {
    const Index chunk = number & ~Balance::chunk_bit;
    const Index place = balance.chunk_tile[chunk];
    const Takings takings(balance, excess_tiles, place);
    if (!takings.has_several_blocks()) return;
    lacking = takings.block_of(chunk);
    number = balance.lacking_tile(place, excess_tiles);
  } else if (!hands_on) {
    const Index place = balance.block_of_lacking(block, excess_tiles);
    lacking = Takings(balance, excess_tiles, place).first_block();
  }
  Tile<T, Rows, Shape> tile(storage, rows, number, items);
  prefetch_later_tile<T, Shape>(block, weights, items, balance);
  tile.read(weights, items, tiles[number], summary->fit);
  if (hands_on) {
    tile.merge_and_hand_on(balance, handed_on, block);
  } else if (has_chunk) {
    tile.fill_by_chunk(balance, handed_on, lacking);
  } else {
    tile.merge_with_others(balance, handed_on, lacking);
  }
}

/// Makes the rows of all tiles but those of items handed on, by `balance.most_blocks()` blocks of
/// `Shape::threads`. Blocks of tiles that lack mass wait for those of tiles with an excess, which
/// have the first numbers and so start before them.
template <class T, class Rows, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    make_rows(const T* weights, Index items, const MassTile* tiles,
              const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on, Rows rows) {
  __shared__ TileStorage<T, Shape> storage;
  wait_for_earlier_kernels();
  make_rows_of_block<T, Rows, Shape>(storage, blockIdx.x, weights, items, tiles, summary, balance,
                                     handed_on, rows);
}

/// The same where lanes may have swept the tiles: does nothing then. Any number of blocks, but all
/// have to be resident, as each does what several of `make_rows` do.
template <class T, class Rows, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident_blocks)
    make_rows_if_unsuited(const T* weights, Index items, const MassTile* tiles,
                          const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on,
                          Rows rows) {
  __shared__ TileStorage<T, Shape> storage;
  if (balance.is_suited()) return;
  for (Index block = blockIdx.x; block < balance.most_blocks(); block += gridDim.x) {
    make_rows_of_block<T, Rows, Shape>(storage, block, weights, items, tiles, summary, balance,
                                       handed_on, rows);
    __syncthreads();
  }
}

/// Launches the latter.
template <class T, class Rows, class Shape>
void launch_if_unsuited(const T* weights, Index items, const MassTile* tiles,
                        const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on,
                        Rows rows, cudaStream_t stream) {
  const auto kernel = make_rows_if_unsuited<T, Rows, Shape>;
  int blocks = 0;
  WRSGPU_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Shape::threads, 0));
  const auto resident =
      static_cast<Index>(blocks * device_attribute(cudaDevAttrMultiProcessorCount));
  void* arguments[] = {&weights, &items, &tiles, &summary, &balance, &handed_on, &rows};
  WRSGPU_CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, std::min(resident, balance.most_blocks()),
                                                Shape::threads, arguments, 0, stream));
  check_launch("merge::make_rows_if_unsuited");
}

}  // namespace wrsgpu::merge
