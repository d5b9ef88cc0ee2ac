// Makes the rows of all tiles, each of which needs nothing of the others any more.
#pragma once

#include "wrsgpu/construction/lane_sweep/tile.cuh"
#include "wrsgpu/core/following_launch.cuh"

namespace wrsgpu::lane_sweep {

inline constexpr unsigned block_threads = 2 * lanes;

/// Which of a half's items there are none of, of a tile that has so many.
[[nodiscard]] __device__ inline RowMask beyond_items(Index half, Index lane, Index tile_items) {
  const Index first = half * half_items + lane;
  const Index rows = tile_items > first ? (tile_items - first + lanes - 1) / lanes : 0;
  return rows >= lanes ? 0 : ~RowMask{0} << rows;
}

/// Copies the half's weights to shared memory, 0 behind the last of `left`; 16 bytes a lane, and
/// without a register where the device can.
__device__ inline void copy_half(const float* from, std::uint64_t left, bool by_vectors, float* to,
                                 Index lane) {
  if (!by_vectors) {
#pragma unroll 1
    for (Index i = lane; i < half_items; i += lanes) to[i] = i < left ? from[i] : 0;
    return;
  }
  constexpr Index width = 4;
#pragma unroll
  for (Index i = lane * width; i < half_items; i += lanes * width) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to + i)),
                 "l"(from + i)
                 : "memory");
#else
    *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i);
#endif
  }
}
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp();
}

/// Makes the rows of the tile `number`. Sets `*balance.unsuited` where it is none that lanes can
/// sweep; what its rows are is undefined then.
template <class T, class Rows>
__device__ void make_rows_of_tile(TileMemory& memory, Index number, const T* weights, Index items,
                                  const merge::Balance& balance, Index excess_tiles,
                                  const HandedOn& handed_on, const Tasks& tasks, const Rows& rows) {
  const Index half = threadIdx.x / lanes;
  const Index lane = threadIdx.x % lanes;
  const Index begin = number * mass_tile_items;
  const Index tile_items = min(items - begin, mass_tile_items);
  const T* const own = weights + begin;
  const T* const of_half = own + half * half_items;
  // There is room for floats where their masses will be.
  constexpr bool are_copied = std::is_same_v<T, float>;
  std::uint32_t* const copies = memory.low + half * half_items;
  if constexpr (are_copied) {
    const Index first = half * half_items;
    copy_half(of_half, tile_items > first ? tile_items - first : 0,
              loads_vectors(own, items - begin), reinterpret_cast<float*>(copies), lane);
  }
  const Task task = tasks.task[number];
  const RowMask gone = tasks.gone[std::size_t{number} * tile_masks + threadIdx.x] |
                       beyond_items(half, lane, tile_items);
  TileSweep sweep(memory, half);
  const std::uint64_t lacks =
      task.hands_on != 0 ? 0 : merge::tile_capacity(number, items) - task.tile.mass;
  const bool receives = half == 1 && lacks > 0;
  TileSweep::Offer offer{};
  if (receives) offer = sweep.ask(handed_on, balance, excess_tiles, task);
  if constexpr (are_copied) wait_for_copies();

  const bool has_gone = task.hands_on != 0 || tile_items < mass_tile_items;
  const IntegerWeight<T, std::uint64_t> integer(task.tile.shift, task.tile.slope);
  const auto product = [&](int row) {
    const Index i = row * lanes + lane;
    if constexpr (are_copied) {
      return integer.product(__uint_as_float(copies[i]));
    } else {
      return half * half_items + i < tile_items ? integer.product(of_half[i]) : 0.0;
    }
  };
  if (has_gone) {
    sweep.fill<true>(gone, product);
  } else {
    sweep.fill<false>(0, product);
  }
  if (receives) {
    sweep.receive(handed_on, offer, task, lacks);
  } else if (half == 1) {
    sweep.keep_piece(task.hands_on != 0 ? task.more : 0, task.from);
  }
  __syncthreads();
  if (half == 0) sweep.give_units(task.tile.mass, [&](Index item) { return own[item] > 0; });
  sweep.sweep_half();
  if (has_gone) sweep.strike(gone);
  __syncthreads();
  if (half == 0) sweep.sweep_rest();
  if (!sweep.is_suited() && lane == 0) balance.only_merge();
  __syncthreads();
  if (has_gone) {
    sweep.write<true>(rows, begin);
  } else {
    sweep.write<false>(rows, begin);
  }
}

/// Makes the rows of all tiles, the last ones first: their weights are in the L2 from the pass
/// before. Does nothing where the tiles are known to be unsuited. Any number of blocks; as many as
/// are resident, since blocks that find nothing to do take their time to start.
template <class T, class Rows>
__global__ void __launch_bounds__(block_threads, resident_tiles)
    make_rows(const T* weights, Index items, merge::Balance balance, HandedOn handed_on,
              Tasks tasks, Rows rows) {
  __shared__ TileMemory memory;
  wait_for_earlier_kernels();
  // Its warps may see what other blocks find out or not, but have to agree.
  if (__syncthreads_or(balance.is_suited() ? 0 : 1) != 0) return;
  const Index excess_tiles = *balance.excess_count;
  for (Index i = blockIdx.x; i < balance.tiles; i += gridDim.x) {
    make_rows_of_tile(memory, balance.tiles - 1 - i, weights, items, balance, excess_tiles,
                      handed_on, tasks, rows);
    __syncthreads();
  }
}

}  // namespace wrsgpu::lane_sweep
