// The main kernel: writes the rows of all tiles. The input that a tile receives from others is
// complete before the tile begins, except for items of more than two donor tiles, for which it
// waits.
#pragma once

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/warp_pairing/tile.cuh"

namespace wrsgpu::warp_pairing {

inline constexpr unsigned block_threads = 2 * lanes;

/// Mask of the items of a half beyond the end of a tile with this many items.
[[nodiscard]] __device__ inline RowMask past_end_mask(Index half, Index lane, Index tile_items) {
  const Index first = half * half_items + lane;
  const Index rows = tile_items > first ? (tile_items - first + lanes - 1) / lanes : 0;
  return rows >= lanes ? 0 : ~RowMask{0} << rows;
}

/// Copies 16 bytes to shared memory, asynchronously where the device supports it.
__device__ inline void copy_16_bytes(const void* from, void* to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to)), "l"(from)
               : "memory");
#else
  *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#endif
}
/// Commits a group of the thread's copies.
__device__ inline void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for the thread's copies, except for the last `pending` groups.
template <int pending = 0>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

/// The weights of a tile. A block copies them to the memory that later holds their masses.
template <class T, class Items>
struct TileWeights {
  /// Shared memory has room for copies of floats only.
  static constexpr bool are_copied = std::is_same_v<T, float>;

  const T* weights;
  Items items;

  __device__ TileWeights(const T* all_weights, const Items& of_tile)
      : weights(all_weights), items(of_tile) {}

  /// Copies the weights of a part of the warp's half, 0 beyond the last one. Parts must be copied
  /// in order.
  template <Index room>
  __device__ void copy_part(Index part, TileMemory<room>& memory) const {
    copy(threadIdx.x / lanes * half_items + part, reinterpret_cast<T*>(memory.low));
    end_copies();
  }
  /// Waits for a part, after the copies of all parts were issued.
  static __device__ void wait_for_part(Index part) {
    static_assert(half_items == 4 * part_items);
    if (part == 0) wait_for_copies<3>();
    if (part == part_items) wait_for_copies<2>();
    if (part == 2 * part_items) wait_for_copies<1>();
    if (part == 3 * part_items) wait_for_copies();
    __syncwarp();
  }

 private:
  __device__ void copy(Index first, T* to) const {
    const Index lane = threadIdx.x % lanes;
    if (!loads_vectors(weights, items)) {
#pragma unroll 1
      for (Index i = first + lane; i < first + part_items; i += lanes) {
        to[i] = i < items.size() ? weights[items(i)] : T{0};
      }
      return;
    }
    constexpr Index width = 16 / sizeof(T);
#pragma unroll
    for (Index i = 0; i < part_items; i += lanes * width) {
      const Index place = first + i + lane * width;
      copy_16_bytes(weights + items(place), to + place);
    }
  }
};

/// The thread's column of the exported mask of the tile.
template <class T>
[[nodiscard]] __device__ RowMask exported_mask_of(const SweepInput<T>& input,
                                                  const PairingTask& task) {
  return task.exports == 0
             ? 0
             : input.exported_mask[std::size_t{task.number} * tile_masks + threadIdx.x];
}

/// Loads a weight, in the order of the program.
[[nodiscard]] __device__ inline double load_in_order(const double* from) {
  double weight;
  asm volatile("ld.global.f64 %0, [%1];" : "=d"(weight) : "l"(__cvta_generic_to_global(from)));
  return weight;
}

/// The products of a lane's items of a tile with its slope, of some rows at a time. `first` is the
/// lane's first item; `is_full`: the tile has all of its items.
template <class T, class Items, Index room, bool is_full>
struct Products {
  const T* weights;
  const Items& items;
  const TileMemory<room>& memory;
  const IntegerWeight<T, std::uint64_t>& integer;
  Index first;

  template <int rows>
  __device__ void operator()(int first_row, double (&product)[rows]) const {
    const Index begin = first + static_cast<Index>(first_row) * lanes;
    if constexpr (TileWeights<T, Items>::are_copied) {
      TileWeights<T, Items>::wait_for_part(static_cast<Index>(first_row) * lanes);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        product[r] = integer.product(__uint_as_float(memory.low[begin + r * lanes]));
      }
    } else {
      // All loads before any product: the compiler would have one or two in flight.
      T weight[rows];
      visit_weights(weights, items, [&](const auto& weight_at) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const Index i = begin + static_cast<Index>(r) * lanes;
          weight[r] = load_in_order(weight_at(is_full ? i : min(i, items.size() - 1)));
        }
      });
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const bool is_one = is_full || begin + static_cast<Index>(r) * lanes < items.size();
        product[r] = is_one ? integer.product(weight[r]) : 0.0;
      }
    }
  }
};

/// Writes the rows of the tile whose task and weights are in memory; `exported_column` is that of
/// this thread. Prefetches the weights of the next tile, if there is one. Calls
/// `balance.set_unsupported` if pairing fails for the tile, and defers it if it receives more items
/// than fit; its rows are then undefined. `next` belongs to the second warp.
template <class Map, class T, class Rows, Index room, class Next>
__device__ void make_rows_of_tile(const SweepInput<T>& input, TileMemory<room>& memory, Next& next,
                                  RowMask& exported_column, const Rows& rows) {
  using Weights = TileWeights<T, typename Map::Items>;
  constexpr bool are_copied = Weights::are_copied;
  const Map map{input.balance.map.items};
  const Index half = threadIdx.x / lanes;
  const Index lane = threadIdx.x % lanes;
  const PairingTask task = memory.task;
  const auto items = map[task.number];
  const Index tile_items = items.size();
  const RowMask exported_mask = exported_column | past_end_mask(half, lane, tile_items);
  TileSweep<room> tile(memory, half);
  const std::uint64_t lacks =
      task.exports != 0 ? 0 : merge::tile_capacity(task.number, input.items) - task.mass;
  const bool receives = half == 1 && lacks > 0;
  typename TileSweep<room>::Offer offer{};
  if (receives) offer = tile.load_offer(input.exported, input.balance, task);

  const bool has_exported = task.exports != 0 || tile_items < mass_tile_items;
  const IntegerWeight<T, std::uint64_t> integer(task.shift, task.slope);
  const Index first = half * half_items + lane;
  if (has_exported) {
    tile.template fill<true>(exported_mask, Products<T, typename Map::Items, room, false>{
                                                input.weights, items, memory, integer, first});
  } else {
    tile.template fill<false>(0, Products<T, typename Map::Items, room, true>{
                                     input.weights, items, memory, integer, first});
  }
  if (receives) {
    const bool has_room = tile.receive(input.exported, input.balance, offer, task, lacks);
    if (room < max_received && !has_room && lane == 0) defer_tile(input, memory.task);
  } else if (half == 1) {
    tile.keep_residual(task.exports != 0 ? task.more : 0, task.from);
  }
  __syncthreads();
  tile.give_units(task.mass, [&](Index place) { return input.weights[items(place)] > 0; });
  tile.sweep_half();
  // If prefetched earlier, part of it would be evicted from the L2 before it is used.
  if (half == 1 && next.has_next()) {
    prefetch_tile(input.weights, map[next.next()]);
  }
  if (has_exported) tile.exclude(exported_mask);
  __syncthreads();
  // All threads have read the task.
  if (half == 0) {
    tile.sweep_rest();
  } else {
    next.prepare_next(memory.task);
  }
  // Reported earlier for an overflow tile, since all blocks must agree on whether overflow tiles
  // are paired or the table is built by merge path.
  if constexpr (room < max_received) {
    if (!tile.is_supported() && lane == 0) input.balance.set_unsupported();
  }
  __syncthreads();
  const bool has_next = memory.task.number != PairingTask::none;
  if (has_next) exported_column = exported_mask_of(input, memory.task);
  const Weights of_next(input.weights, map[has_next ? memory.task.number : task.number]);
  const auto copy_next = [&](Index part) {
    if constexpr (are_copied) {
      if (has_next) of_next.copy_part(part, memory);
    }
  };
  if (has_exported) {
    tile.template write<true, Map::is_interleaved>(rows, items, copy_next);
  } else {
    tile.template write<false, Map::is_interleaved>(rows, items, copy_next);
  }
}

/// Starts the copies of the weights of the tile whose task is in memory, if weights of this type
/// are copied.
template <class Map, class T, Index room>
__device__ void copy_weights(const SweepInput<T>& input, TileMemory<room>& memory) {
  using Weights = TileWeights<T, typename Map::Items>;
  if constexpr (Weights::are_copied) {
    const Weights of_tile(input.weights, Map{input.balance.map.items}[memory.task.number]);
    for (Index part = 0; part < half_items; part += part_items) of_tile.copy_part(part, memory);
  }
}

/// Writes the rows of all tiles except the overflow tiles. Returns at once for weights known to be
/// unsupported. Any number of blocks; each prepares its next tile while it processes the current
/// one.
template <class T, class Rows>
__global__ void __launch_bounds__(block_threads, resident_tiles)
    make_rows(const __grid_constant__ SweepInput<T> input, const Rows rows) {
  __shared__ TileMemory<typical_received> memory;
  // Safe before the preceding kernel ends: the kernel before that one resets the counter.
  const Index first = threadIdx.x == lanes ? take(input) : 0;
  grid_dependency_sync();
  input.balance.map.visit([&]<class Map>(const Map& /*tiles*/) {
    TileQueue<T, Map> next(input, first);
    if (threadIdx.x >= lanes) next.prepare_next(memory.task);
    __syncthreads();
    if (memory.task.number == PairingTask::none) return;
    copy_weights<Map>(input, memory);
    RowMask exported_mask = exported_mask_of(input, memory.task);
    do {
      make_rows_of_tile<Map>(input, memory, next, exported_mask, rows);
      __syncthreads();
    } while (memory.task.number != PairingTask::none);
  });
}

}  // namespace wrsgpu::warp_pairing
