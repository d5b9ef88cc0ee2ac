// The task of each tile. A tile chooses its exports before it makes any of its rows.
#pragma once

#include <cuda/atomic>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/spin_until.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/core/warp_search.cuh"
#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu::warp_pairing {

/// The items that tiles with an excess export: `tile_groups` places for each such tile, in order
/// (device memory). If a tile exports fewer items than a warp has lanes, the last sum is repeated,
/// so that all lanes can read before the count is known. `Balance::chosen_count` holds the count
/// once the exports are written.
struct PairingExports {
  Index* item;
  /// Inclusive scan of the exported excesses over all tiles; does not exceed the sum of the
  /// excesses of the tiles up to and including this one.
  std::uint64_t* inclusive_sum;

  /// Bytes for this many tiles.
  [[nodiscard]] static std::size_t bytes(Index tiles) {
    return std::size_t{tiles} * tile_groups * (sizeof(*item) + sizeof(*inclusive_sum));
  }
  /// In memory aligned to 8 bytes.
  [[nodiscard]] static PairingExports at(void* memory, Index tiles) {
    auto* const inclusive_sum = static_cast<std::uint64_t*>(memory);
    return {reinterpret_cast<Index*>(inclusive_sum + std::size_t{tiles} * tile_groups),
            inclusive_sum};
  }
};

/// One bit per row of `lanes` items; the lowest bit is the first row. A tile has one mask for each
/// lane of both halves.
using RowMask = std::uint32_t;
inline constexpr Index tile_masks = 2 * lanes;

/// The task of a tile. It has the fields of `MassTile` without the padding, because shared memory
/// is fully used.
struct alignas(16) PairingTask {
  static constexpr Index none = ~Index{0};

  double slope;
  /// Exported items are counted with the mass that `TileSweep::fill` computes, which differs above
  /// 2^52.
  std::uint64_t mass;
  /// For a tile with an excess: the surplus of its last exported item. Otherwise: the sum of the
  /// deficits of the preceding tiles.
  std::uint64_t more;
  int shift;
  Index number;  ///< of the tile, or `none`
  /// For a tile with an excess: its last exported item. Otherwise: the first possible donor tile;
  /// `count` is the number of items that this and the next donor tile export.
  Index from;
  Index count[2];
  /// 1 or 0. Not a bool, because the struct is copied in words and the three padding bytes of a
  /// bool would be uninitialised.
  Index exports;
};

/// Input of the pairing of all tiles (device memory).
template <class T>
struct SweepInput {
  const T* weights;
  Index items;
  merge::Balance balance;
  const std::uint8_t* candidates;
  Index* taken;  ///< number of entries of `Balance::pairing_tiles` taken by blocks
  PairingExports exported;
  RowMask* exported_mask;  ///< `tile_masks` for each tile that exports
  /// Overflow tiles in any order, at most `max_overflow_tiles`; `Balance::overflow_count` is their
  /// number.
  PairingTask* overflow_tiles;
};

/// Appends a tile to the overflow tiles, by one thread. If there are too many, the weights are
/// unsupported.
template <class T>
__device__ void defer_tile(const SweepInput<T>& input, const PairingTask& task) {
  const merge::Balance& balance = input.balance;
  const Index place = cuda::atomic_ref<Index, cuda::thread_scope_device>(*balance.overflow_count)
                          .fetch_add(1, cuda::memory_order_relaxed);
  if (place < max_overflow_tiles(balance.tiles)) {
    input.overflow_tiles[place] = task;
  } else {
    balance.set_unsupported();
  }
}

/// Waits for the exports of the `place`-th tile with an excess and returns their number, or
/// `not_yet` if the weights turn out to be unsupported first.
[[nodiscard]] __device__ inline Index wait_for_chosen(const merge::Balance& balance, Index place) {
  return spin_until(balance.chosen_count[place], [&](Index count) {
    return count != merge::Balance::not_yet || !balance.is_supported();
  });
}

/// Warp-uniform variant: individual lanes may or may not observe that the weights are unsupported,
/// but all of them must agree.
[[nodiscard]] __device__ inline Index wait_for_chosen_by_warp(const merge::Balance& balance,
                                                              Index place) {
  const Index count = __shfl_sync(~0U, wait_for_chosen(balance, place), 0);
  __syncwarp();  // makes the acquire of the first lane visible to all
  return count;
}

/// The number of exports if already known, otherwise `not_yet`; one tile per lane. Other lanes may
/// read the exported items after a `__syncwarp`.
[[nodiscard]] __device__ inline Index chosen(const merge::Balance& balance, Index place) {
  return cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.chosen_count[place])
      .load(cuda::memory_order_acquire);
}

/// Chooses the exports of a tile with an excess, by a warp.
template <class T, class Map>
class Choice {
 public:
  /// Prefetches the places of the first candidates of the `place`-th tile with an excess.
  __device__ Choice(const SweepInput<T>& input, Index number, Index place)
      : input_(input),
        items_(Map{input.balance.map.items}[number]),
        lane_(threadIdx.x % lanes),
        place_(place),
        places_(input.candidates + std::size_t{number} * candidate_bytes),
        exported_mask_(input.exported_mask + std::size_t{number} * tile_masks),
        current_(load_candidate(0)) {
    exported_mask_[lane_] = 0;
    exported_mask_[lane_ + lanes] = 0;
    __syncwarp();
  }

  /// Chooses items that cover `excess`, first among the candidates, then among all others, and
  /// publishes them.
  ///
  /// @param excess of the tile
  /// @param before sum of the excesses of the preceding tiles
  /// @param task of the tile, completed here
  /// @return whether the items have enough excess
  [[nodiscard]] __device__ bool choose(std::uint64_t excess, std::uint64_t before,
                                       PairingTask& task) {
    const IntegerWeight<T, std::uint64_t> integer(task.shift, task.slope);
    std::uint64_t minimum = min_excess(excess, tile_groups);
    task.from = items_(0);
    task.exports = 1;
    std::uint64_t total = 0;  // excess of the items chosen so far
    Index count = 0;
    const auto take = [&](const Candidate& candidate, bool is_exported) {
      const double product = integer.product(candidate.weight);
      const std::uint64_t mass = is_exported ? 0 : integer.nearest(candidate.weight);
      const bool is_one = mass >= fixed_bucket + minimum;
      if (__any_sync(~0U, is_one ? 1 : 0) == 0) return;
      const std::uint64_t own = is_one ? mass - fixed_bucket : 0;
      const std::uint64_t inclusive_sum = total + warp_inclusive_sum(own);
      const bool is_taken = is_one && inclusive_sum - own < excess;
      const unsigned taken = __ballot_sync(~0U, is_taken ? 1 : 0);
      const Index item = items_(candidate.item);
      if (is_taken) {
        const Index at = place_ * tile_groups + count + __popc(taken & ((1U << lane_) - 1));
        input_.exported.item[at] = item;
        input_.exported.inclusive_sum[at] =
            before + (inclusive_sum < excess ? inclusive_sum : excess);
        atomicOr(&mask_of(candidate.item), bit_of(candidate.item));
      }
      const unsigned is_enough = __ballot_sync(~0U, is_taken && inclusive_sum >= excess ? 1 : 0);
      if (is_enough != 0) {
        const int source_lane = __ffs(static_cast<int>(is_enough)) - 1;
        task.more = __shfl_sync(~0U, inclusive_sum - excess, source_lane);
        task.from = __shfl_sync(~0U, item, source_lane);
      }
      const std::uint64_t filled = filled_mass(product);
      if (__any_sync(~0U, is_taken && filled != mass ? 1 : 0) != 0) {
        task.mass += warp_sum(is_taken ? filled - mass : 0);
      }
      count += static_cast<Index>(__popc(taken));
      total = __shfl_sync(~0U, inclusive_sum, lanes - 1);
    };
#pragma unroll 1
    for (Index first = 0; first < tile_groups && total < excess; first += lanes) {
      // Prefetches the next candidates if these would have to cover half a bucket each.
      const bool is_ahead = excess - total > lanes / 2 * fixed_bucket;
      Candidate next{};
      if (is_ahead) next = load_candidate(first + lanes);
      take(current_, false);
      if (!is_ahead && total < excess) next = load_candidate(first + lanes);
      current_ = next;
    }
    Index count_before = 0;
#pragma unroll 1
    for (Index round = 0; round < max_more_rounds && total < excess && count > count_before;
         ++round) {
      count_before = count;
      minimum = min_excess(excess - total, tile_groups - count);
      __syncwarp();
      constexpr Index ahead = 32 / sizeof(T);  // loads in flight
      static_assert(half_items % (ahead * lanes) == 0);
#pragma unroll 1
      for (Index first = lane_; first < mass_tile_items && total < excess; first += ahead * lanes) {
        RowMask exported = mask_of(first) >> (first / lanes % lanes);
        T weight[ahead];
#pragma unroll
        for (Index k = 0; k < ahead; ++k) weight[k] = candidate_of(first + k * lanes).weight;
#pragma unroll 1
        for (Index k = 0; k < ahead && total < excess; ++k) {
          take({first + k * lanes, weight[0]}, (exported & 1) != 0);
          exported >>= 1;
#pragma unroll
          for (Index next = 1; next < ahead; ++next) weight[next - 1] = weight[next];
        }
      }
    }
    if (lane_ >= count) {
      input_.exported.item[place_ * tile_groups + lane_] = 0;
      input_.exported.inclusive_sum[place_ * tile_groups + lane_] = before + excess;
    }
    // The release store of the count also publishes the writes of all lanes.
    __syncwarp();
    if (lane_ == 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_device>(input_.balance.chosen_count[place_])
          .store(count, cuda::memory_order_release);
    }
    return total >= excess;
  }

 private:
  struct Candidate {
    Index item;  // its number in the tile
    T weight;
  };
  [[nodiscard]] __device__ Candidate candidate_of(Index item) const {
    return {item, item < items_.size() ? input_.weights[items_(item)] : T{0}};
  }
  /// The lane's candidate among the groups from `first` on, or none.
  [[nodiscard]] __device__ Candidate load_candidate(Index first) const {
    const Index group = first + lane_;
    if (group >= tile_groups) return {0, 0};
    return candidate_of(group * group_items + place_in_candidates(places_, group));
  }
  [[nodiscard]] __device__ RowMask& mask_of(Index item) const {
    return exported_mask_[item / half_items * lanes + item % lanes];
  }
  [[nodiscard]] static __device__ RowMask bit_of(Index item) {
    return RowMask{1} << (item / lanes % lanes);
  }
  /// The mass of an item as `TileSweep::fill` computes it, which differs above 52 bits.
  [[nodiscard]] static __device__ std::uint64_t filled_mass(double product) {
    return static_cast<std::uint64_t>(__double_as_longlong(__dadd_rn(product, 0x1p52)) -
                                      __double_as_longlong(0x1p52));
  }

  const SweepInput<T>& input_;
  typename Map::Items items_;
  Index lane_;
  Index place_;
  const std::uint8_t* places_;
  RowMask* exported_mask_;
  Candidate current_;
};

/// Takes the next entry of `Balance::pairing_tiles`, by one lane. May be called before the
/// preceding kernel has ended.
template <class T>
[[nodiscard]] __device__ Index take(const SweepInput<T>& input) {
  return atomicAdd(input.taken, 1);
}

/// The tiles of a block, in the order of `Balance::pairing_tiles`, taken by its second warp from a
/// counter that all blocks share. Tiles with an excess come first and never wait, so every wait is
/// for a tile that a resident block took earlier.
template <class T, class Map>
class TileQueue {
 public:
  /// `first` is the result of `take` in the first lane of the second warp.
  __device__ TileQueue(const SweepInput<T>& input, Index first)
      : input_(input),
        excess_tiles_(*input.balance.excess_count),
        lane_(threadIdx.x % lanes),
        guess_step_(max(1U, (1U << bit_width(input.balance.tiles) / 2) / 8)) {
    next_ = entry(__shfl_sync(~0U, first, 0));
    if (threadIdx.x == lanes) taken_ = take(input);
  }

  /// Whether there is a next tile.
  [[nodiscard]] __device__ bool has_next() const { return next_.place < input_.balance.tiles; }
  [[nodiscard]] __device__ Index next() const { return next_.number; }

  /// Computes the task of the next tile: `none` if there is no tile, or if the weights are known to
  /// be unsupported. Calls `balance.set_unsupported` if the tile must export and its items do not
  /// have enough excess.
  __device__ void prepare_next(PairingTask& task) {
    prepare(task);
    __syncwarp();
    // Both loads stay in flight until they are needed, after the next tile.
    next_ = entry(__shfl_sync(~0U, taken_, 0));
    if (lane_ == 0) taken_ = take(input_);
  }

 private:
  struct Entry {
    Index place;  // index in `Balance::pairing_tiles`
    Index number;
  };

  [[nodiscard]] __device__ Entry entry(Index place) const {
    return {place, place < input_.balance.tiles ? input_.balance.pairing_tiles[place].number
                                                : PairingTask::none};
  }

  __device__ void prepare(PairingTask& task) const {
    const merge::Balance& balance = input_.balance;
    const bool goes_on = has_next() && balance.is_supported();
    if (__all_sync(~0U, goes_on ? 1 : 0) == 0) {
      if (lane_ == 0) task.number = PairingTask::none;
      return;
    }
    const merge::PairingTile tile = balance.pairing_tiles[next_.place];
    const std::uint64_t capacity = merge::tile_capacity(next_.number, input_.items);
    PairingTask found{tile.slope, tile.mass, 0, tile.shift, next_.number, 0, {0, 0}, 0};
    if (next_.place < excess_tiles_) {
      Choice<T, Map> choice(input_, next_.number,
                            balance.pairing_place(next_.place, excess_tiles_));
      if (!choice.choose(tile.mass - capacity, tile.before, found)) {
        if (lane_ == 0) {
          balance.set_unsupported();
          task.number = PairingTask::none;
        }
        return;
      }
    } else {
      const Index place = balance.place[next_.number];
      found.more = tile.before;
      // The first tile whose inclusive sum of excesses exceeds the deficits before. The guess: as
      // many tiles with an excess as precede this tile, which is close if excesses and deficits are
      // similar.
      found.from = count_not_above(balance.excess_before + 1, excess_tiles_, found.more,
                                   next_.number - place, guess_step_);
      if (tile.mass < capacity) {
        const Index donor = min(found.from + min(lane_, 1U), excess_tiles_ - 1);
        const Index count = wait_for_chosen(balance, donor);
        found.count[0] = __shfl_sync(~0U, count, 0);
        found.count[1] = __shfl_sync(~0U, count, 1);
        if (found.count[0] == merge::Balance::not_yet || found.count[0] == 0) {
          // No tile can export enough.
          if (lane_ == 0) task.number = PairingTask::none;
          return;
        }
      }
    }
    if (lane_ == 0) task = found;
  }

  const SweepInput<T>& input_;
  Index excess_tiles_;
  Index lane_;
  /// For random weights, sums deviate by about the square root of the number of tiles.
  Index guess_step_;
  Index taken_ = 0;  // of the first lane
  Entry next_{PairingTask::none, PairingTask::none};
};

}  // namespace wrsgpu::warp_pairing
