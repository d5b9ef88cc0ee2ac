// The third kernel of `GpuChooser`: orders the clocks found, by cells, and writes their items.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_scan.cuh>

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/detail/without_replacement/select_ringing.cuh"

namespace wrsgpu::detail {

using CellScan = cub::BlockScan<unsigned, choose_threads, cub::BLOCK_SCAN_WARP_SCANS>;

/// Clocks of a cell that are ordered in shared memory.
inline constexpr unsigned shared_clocks = 3072;

/// Shared memory of `order_cell`.
struct CellStorage {
  unsigned parts[ClockCells::parts];
  ClockKey keys[shared_clocks];
  Index items[shared_clocks];
  CellScan::TempStorage scan;
};

/// Shared memory of `order_clocks`: first the number of clocks before each cell.
struct OrderStorage {
  std::uint32_t first_cells[ClockCells::octaves];
  union {
    struct {
      unsigned before[ClockCells::max_count + 1];
      CellScan::TempStorage scan;
    } all;
    CellStorage cell;
  };
};

/// Replaces the numbers by the sums of all before them, by the threads of a block. Returns the sum.
template <unsigned thread_numbers>
__device__ unsigned scan_numbers(CellScan::TempStorage& storage, unsigned* numbers,
                                 unsigned count) {
  const unsigned first = threadIdx.x * thread_numbers;
  unsigned own = 0;
#pragma unroll 4
  for (unsigned k = first; k < first + thread_numbers && k < count; ++k) own += numbers[k];
  unsigned before = 0;
  unsigned all = 0;
  CellScan(storage).ExclusiveSum(own, before, all);
#pragma unroll 4
  for (unsigned k = first; k < first + thread_numbers && k < count; ++k) {
    const unsigned number = numbers[k];
    numbers[k] = before;
    before += number;
  }
  __syncthreads();
  return all;
}

/// Writes the items of a cell whose clocks are by_cells[begin], ..., by_cells[end - 1], in order,
/// by a block: distributes the clocks over the parts of the cell, a few each, and counts for each
/// clock the earlier ones of its part. `spare` is as long as `by_cells`.
__device__ inline void order_cell(CellStorage& storage, const ClockCells& cells,
                                  const Clocks& by_cells, const Clocks& spare, Index begin,
                                  Index end, Index wanted, Index* out) {
  for (unsigned part = threadIdx.x; part < ClockCells::parts; part += choose_threads) {
    storage.parts[part] = 0;
  }
  __syncthreads();
  for (Index slot = begin + threadIdx.x; slot < end; slot += choose_threads) {
    atomicAdd(storage.parts + cells.part_of(by_cells.keys[slot]), 1U);
  }
  __syncthreads();
  static_cast<void>(scan_numbers<ClockCells::parts / choose_threads>(storage.scan, storage.parts,
                                                                     ClockCells::parts));
  const Clocks by_parts = end - begin <= shared_clocks
                              ? Clocks{storage.keys, storage.items}
                              : Clocks{spare.keys + begin, spare.items + begin};
  for (Index slot = begin + threadIdx.x; slot < end; slot += choose_threads) {
    const ClockKey key = by_cells.keys[slot];
    const unsigned place = atomicAdd(storage.parts + cells.part_of(key), 1U);
    by_parts.keys[place] = key;
    by_parts.items[place] = by_cells.items[slot];
  }
  __syncthreads();  // each part is now the number of clocks up to its end
  for (Index slot = threadIdx.x; slot < end - begin; slot += choose_threads) {
    const Ringing own = by_parts[slot];
    const unsigned part = cells.part_of(own.key);
    const unsigned first = part == 0 ? 0 : storage.parts[part - 1];
    Index place = begin + first;
    for (unsigned other = first; other < storage.parts[part]; ++other) {
      place += by_parts[other] < own ? 1 : 0;
    }
    if (place < wanted) out[place] = own.item;
  }
  __syncthreads();  // before the storage is used again
}

/// Sets the cells of all octaves, by a block; returns their number.
[[nodiscard]] __device__ inline unsigned find_cells(OrderStorage& storage, const ClockCells& cells,
                                                    const ChooseState* state) {
  constexpr unsigned thread_octaves = (ClockCells::octaves + choose_threads - 1) / choose_threads;
  unsigned clocks[thread_octaves];
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    clocks[k] = octave < ClockCells::octaves ? __ldcg(state->octaves_of_clocks + octave) : 0;
  }
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    if (octave < ClockCells::octaves) storage.first_cells[octave] = cells.count_for(clocks[k]);
  }
  __syncthreads();
  const unsigned all =
      scan_numbers<thread_octaves>(storage.all.scan, storage.first_cells, ClockCells::octaves);
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    if (octave < ClockCells::octaves) cells.set(octave, clocks[k], storage.first_cells[octave]);
  }
  __syncthreads();
  return all;
}

/// Writes the items of the first `wanted` of `count` clocks in order. By all blocks of a
/// cooperative grid.
__device__ inline void order_clocks(OrderStorage& storage, const Clocks& found,
                                    const Clocks& by_cells, unsigned* ranks, Index count,
                                    Index wanted, ChooseState* state, Index* out) {
  namespace cg = cooperative_groups;
  const ClockCells cells(count, storage.first_cells);
  const unsigned cell_count = find_cells(storage, cells, state);
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * choose_threads + threadIdx.x;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * choose_threads;
  // Several clocks of a thread are on their way at a time.
  constexpr unsigned ahead = 4;
  const auto for_each_clock = [&](const auto& use) {
    for (std::uint64_t slot = thread; slot < count; slot += ahead * threads) {
      ClockKey keys[ahead];
#pragma unroll
      for (unsigned j = 0; j < ahead; ++j) {
        if (slot + j * threads < count) keys[j] = found.keys[slot + j * threads];
      }
      use(slot, keys);
    }
  };
  for_each_clock([&](std::uint64_t slot, const ClockKey(&keys)[ahead]) {
    unsigned own[ahead];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads < count) own[j] = atomicAdd(state->cells[cells.of(keys[j])], 1U);
    }
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads < count) ranks[slot + j * threads] = own[j];
    }
  });
  cg::this_grid().sync();
  unsigned* const before = storage.all.before;
#pragma unroll 8
  for (unsigned cell = threadIdx.x; cell < cell_count; cell += choose_threads) {
    before[cell] = __ldcg(state->cells[cell]);
  }
  if (threadIdx.x == 0) before[cell_count] = 0;
  __syncthreads();
  constexpr unsigned thread_cells = (ClockCells::max_count + choose_threads) / choose_threads;
  static_cast<void>(scan_numbers<thread_cells>(storage.all.scan, before, cell_count + 1));
  if (blockIdx.x == 0) {
    for (unsigned cell = threadIdx.x; cell <= cell_count; cell += choose_threads) {
      state->before_cells[cell] = before[cell];
    }
  }
  for_each_clock([&](std::uint64_t slot, const ClockKey(&keys)[ahead]) {
    unsigned own[ahead];
    Index items[ahead];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads >= count) continue;
      own[j] = ranks[slot + j * threads];
      items[j] = found.items[slot + j * threads];
    }
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads >= count) continue;
      const Index place = before[cells.of(keys[j])] + own[j];
      by_cells.keys[place] = keys[j];
      by_cells.items[place] = items[j];
    }
  });
  cg::this_grid().sync();
  // The cells of the block, of which each lane reads one.
  for (unsigned first = blockIdx.x; first < cell_count; first += 32 * gridDim.x) {
    const unsigned own = first + threadIdx.x % 32 * gridDim.x;
    const Index own_begin = own < cell_count ? __ldcg(state->before_cells + own) : 0;
    const Index own_end = own < cell_count ? __ldcg(state->before_cells + own + 1) : 0;
    unsigned filled = __ballot_sync(~0U, own_begin < own_end && own_begin < wanted ? 1 : 0);
    for (; filled != 0; filled &= filled - 1) {
      const int lane = __ffs(static_cast<int>(filled)) - 1;
      order_cell(storage.cell, cells, by_cells, found, __shfl_sync(~0U, own_begin, lane),
                 __shfl_sync(~0U, own_end, lane), wanted, out);
    }
  }
}

/// Selects the clocks anew if the estimate misled, and writes the items of the first ones, if there
/// are enough and all weights are valid. Then advances the state `advanced`, unless that is null.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    order_ringing(const T* weights, Index items, Index chosen, bool allow_fewer,
                  const random::RandomSource source, RandomState* advanced, ChooseStorage storage,
                  Index* out) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& select_storage = *reinterpret_cast<SelectStorage<T>*>(shared_bytes);
  auto& order_storage = *reinterpret_cast<OrderStorage*>(shared_bytes);
  grid_dependency_sync();
  ChooseState* const state = storage.state;
  const ChooseOutcome& outcome = state->outcome;
  if (must_select(outcome, chosen, storage.capacity)) {
    const RandomState random = source.get();
    select_ringing(select_storage,
                   QuadReader<T>(select_storage.quads, weights, items, random.offset), chosen,
                   random, storage.found, storage.capacity, state);
  }
  const Index count = __ldcg(&outcome.found);
  const bool are_enough = count >= chosen || (allow_fewer && count > 0);
  if (__ldcg(&outcome.invalid_complement) == 0 && are_enough && count <= storage.capacity) {
    order_clocks(order_storage, storage.found, storage.by_cells, storage.ranks, count,
                 count < chosen ? count : chosen, state, out);
  }
  if (advanced != nullptr && blockIdx.x == 0 && threadIdx.x == 0) advanced->offset += items;
}

}  // namespace wrsgpu::detail
