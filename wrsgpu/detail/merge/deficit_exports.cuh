// The rows of all tiles by exports of deficits (docs/exact_construction_cost.md): tiles that lack
// mass export light items, and tiles with an excess fill these after their own. The table is the
// same. For weights most of which are heavy: then these are fewer items than the heavy ones that
// tiles would export.
#pragma once

#include <cuda/atomic>

#include "wrsgpu/detail/core/warp_search.cuh"
#include "wrsgpu/detail/merge/tile_kernel.cuh"

namespace wrsgpu::merge {

/// What is supported; other weights' tiles exchange heavy items. So few deficits, of a bucket each
/// at most, bound the excess of a tile, too.
namespace deficit_exports {
/// Maximum number of items that a tile that lacks mass may export.
inline constexpr Index max_exported = 256;
/// Maximum number of exported items in which a tile with an excess may have a part.
inline constexpr Index max_received = 192;
}  // namespace deficit_exports

/// The exported items: `max_exported` places for each tile that lacks mass, in order (device
/// memory).
struct DeficitExports {
  Index* item;
  std::uint64_t* inclusive_sum;  ///< of the exported deficits, over all tiles
};

/// One tile. All threads of the block must call each function.
template <class T, class Rows, class Shape, class Map>
class DeficitTile : public TileRows<T, Rows, Shape, Map> {
  using Base = TileRows<T, Rows, Shape, Map>;
  using Base::all_;
  using Base::count_less;
  using Base::heavies;
  using Base::heavy_begin;
  using Base::items_;
  using Base::merge;
  using Base::rows_;
  using Base::size_;
  using Base::storage_;
  using Base::threads;
  using Base::write;
  static constexpr Index lanes = 32;
  static constexpr Index capacity = deficit_exports::max_received;
  static_assert(capacity <= Shape::donor_capacity);

 public:
  using Base::Base;

  /// For a tile without an excess: makes the rows of the light items that its heavy items fill, at
  /// least in part, and of these heavy items, and exports the others. `place` is that of the tile
  /// among its kind. Returns false if it would export too many.
  [[nodiscard]] __device__ bool export_deficits(const Balance& balance,
                                                const DeficitExports& exported, Index place,
                                                Index excess_tiles) {
    const Index lights =
        heavies() == 0 ? 0 : count_less(heavy_key_of_sum(all_.excesses()));  // that are filled
    merge(lights, heavies(), [this](Index item) { return items_(item); });
    __syncthreads();
    Index count = 0;  // of the first warp
    if (threadIdx.x < lanes) count = export_from(lights, balance, exported, place);
    // The rows of exported items are written again by the tiles that receive them.
    write([](Index alias) { return alias; });
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.chosen_count[excess_tiles + place])
          .store(min(count, deficit_exports::max_exported), cuda::memory_order_release);
    }
    return count <= deficit_exports::max_exported;
  }

  /// For the `place`-th tile with an excess, by the first warp before the masses are read: loads
  /// the exported items in which the tile has a part. It waits for memory several times, with the
  /// loads of the weights.
  __device__ void receive(const Balance& balance, const DeficitExports& exported, Index place,
                          Index excess_tiles) {
    const Index count = load_exported(balance, exported, place, excess_tiles);
    if (threadIdx.x > 0) return;
    received_count() = count;
    next_first() = place + 1 < excess_tiles ? first_of(balance, place + 1) : Balance::not_yet;
  }

  /// Its heavy items fill its own light items and then those exported ones that begin within its
  /// excess. Returns false if it has a part in too many.
  [[nodiscard]] __device__ bool fill_deficits(const Balance& balance, Index place,
                                              Index excess_tiles) {
    const Index ended = storage_.ended;
    const std::uint64_t own = all_.deficits();
    const auto item_of_heavy = [&](Index heavy) {
      return items_(item_of(storage_.keys[heavy_begin() + heavy]));
    };
    // The last heavy item of the tile before refers to the first that exceeds this tile's deficits.
    if (threadIdx.x == 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.chosen_count[place])
          .store(item_of_heavy(ended), cuda::memory_order_release);
    }
    merge(all_.lights(), ended, [this](Index item) { return items_(item); });
    // Of too many, or of a tile that exports too many, some places were not written.
    const Index received = received_count() <= capacity ? received_count() : 0;
    for (Index heavy = ended + threadIdx.x; heavy < heavies(); heavy += threads) {
      const Key key = storage_.keys[heavy_begin() + heavy];
      const std::uint64_t sum = sum_of(key) - own;
      const Index item = item_of(key);
      const Index end = first_above(sum, received);
      Index alias = items_(item);
      Index kept = 0;
      // If the tiles that lack mass up to some tile lack as much, it has its bucket for itself.
      if (end < received && !(is_first(end) && begin_received(end) == sum)) {
        kept = static_cast<Index>(sum) - static_cast<Index>(sum_received(end));
        if (heavy + 1 < heavies()) {
          alias = item_of_heavy(heavy + 1);
        } else if (place + 1 < excess_tiles) {
          alias = next_first();
          if (alias == Balance::not_yet) {
            alias = spin_until(balance.chosen_count[place + 1],
                               [](Index first) { return first != Balance::not_yet; });
          }
        }
      }
      storage_.rows.set(item, std::uint64_t{alias} << 32 | kept);
    }
    // The first one begins in the tile before, unless both begin with a tile that lacks mass.
    const Index others = received > 0 && !is_first(0) ? 1 : 0;
    for (Index i = others + threadIdx.x; i < received; i += threads) {
      const std::uint64_t begin = begin_received(i);
      const Index deficit = static_cast<Index>(sum_received(i)) - static_cast<Index>(begin);
      const Index heavy = first_not_below(begin + own + (is_first(i) ? 1 : 0), ended);
      store(rows_, storage_.donor_item[i], 0 - deficit, item_of_heavy(min(heavy, heavies() - 1)));
    }
    write([](Index alias) { return alias; });
    return received_count() <= capacity;
  }

 private:
  [[nodiscard]] __device__ Index& received_count() { return storage_.donor_number[0]; }
  /// The first item of the next tile's chain, if it was known when the exported items were loaded.
  [[nodiscard]] __device__ Index& next_first() { return storage_.donor_number[1]; }
  [[nodiscard]] static __device__ Index first_of(const Balance& balance, Index place) {
    return cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.chosen_count[place])
        .load(cuda::memory_order_relaxed);
  }

  /// By the first warp: exports the last heavy item, if it fills a light one in part only, and the
  /// light items from `first` on. Returns their number.
  [[nodiscard]] __device__ Index export_from(Index first, const Balance& balance,
                                             const DeficitExports& exported, Index place) {
    const Index lane = threadIdx.x;
    const auto& keys = storage_.keys;
    const std::uint64_t filled = all_.excesses();
    const std::uint64_t before = balance.lack_before[place];
    const std::size_t to = std::size_t{place} * deficit_exports::max_exported;
    const auto put = [&](Index at, Index item, std::uint64_t end) {
      if (at >= deficit_exports::max_exported) return;
      exported.item[to + at] = items_(item);
      exported.inclusive_sum[to + at] = before + (end - filled);
    };
    Index count = 0;
    if (heavies() > 0 && all_.deficits() > filled) {
      if (lane == 0) {
        put(0, item_of(keys[heavy_begin() + heavies() - 1]), sum_of(keys[first]));
      }
      count = 1;
    }
#pragma unroll 1
    for (Index begin = first; begin < all_.lights(); begin += lanes) {
      const Index light = min(begin + lane, all_.lights() - 1);
      const bool is_any = begin + lane < all_.lights();
      const Key key = keys[light];
      const std::uint64_t end = sum_of(keys[light + 1]);
      const bool lacks = end > sum_of(key);
      const unsigned lacking = __ballot_sync(~0U, is_any && lacks ? 1 : 0);
      if (is_any && lacks) {
        put(count + __popc(lacking & ((1U << lane) - 1)), item_of(key), end);
      } else if (is_any) {
        storage_.rows.set(item_of(key), std::uint64_t{items_(item_of(key))} << 32);
      }
      count += __popc(lacking);
    }
    return count;
  }

  /// Place of a received item, after the keys: of the end of its deficit, less the excesses of the
  /// tiles before, and a digit that says whether it is the first one that its tile exports. It has
  /// another donor then than the item before it, even if that one's last donor has nothing left.
  [[nodiscard]] __device__ Index place_received(Index i) const { return size_ + 2 + i; }
  [[nodiscard]] __device__ std::uint64_t sum_received(Index i) const {
    return storage_.keys[place_received(i)] >> 1;
  }
  [[nodiscard]] __device__ bool is_first(Index i) const {
    return (storage_.keys[place_received(i)] & 1) != 0;
  }
  /// 0 for what begins in the tile before, too.
  [[nodiscard]] __device__ std::uint64_t begin_received(Index i) const {
    return i == 0 ? 0 : sum_received(i - 1);
  }
  /// The first received item whose end is above `sum`.
  [[nodiscard]] __device__ Index first_above(std::uint64_t sum, Index received) const {
    Index low = 0;
    while (low < received) {
      const Index middle = (low + received) / 2;
      if (sum_received(middle) <= sum) {
        low = middle + 1;
      } else {
        received = middle;
      }
    }
    return low;
  }
  /// The first heavy item from `low` on whose sum is at least this.
  [[nodiscard]] __device__ Index first_not_below(std::uint64_t sum, Index low) const {
    Index high = heavies();
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (storage_.keys[heavy_begin() + middle] < heavy_key_of_sum(sum)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// By the first warp: loads the exported items from the first that ends after the excesses of the
  /// tiles before to the first that ends after this one's, too, unless that is the first one that
  /// its tile exports and begins there. Returns their number, of which at most `capacity` are
  /// loaded.
  [[nodiscard]] __device__ Index load_exported(const Balance& balance,
                                               const DeficitExports& exported, Index excess_place,
                                               Index excess_tiles) {
    const Index lane = threadIdx.x;
    const Index lacks = balance.tiles - excess_tiles;
    const std::uint64_t begin = balance.excess_before[excess_place];
    const std::uint64_t end = balance.excess_before[excess_place + 1];
    std::uint64_t position = begin;  // the end of the last item, or `begin`
    Index received = 0;
    // Excesses and deficits are often alike.
    auto guess = static_cast<Index>(std::uint64_t{excess_place} * lacks / excess_tiles);
    Index step = 32;
#pragma unroll 1
    while (position < end && received <= capacity) {
      // The last tile before which the deficits are at most this.
      const Index place = count_not_above(balance.lack_before, lacks, position, guess, step) - 1;
      guess = place + 1;
      step = 1;
      const Index count = spin_until(balance.chosen_count[excess_tiles + place],
                                     [](Index found) { return found != Balance::not_yet; });
      __syncwarp();  // makes the acquire of each lane visible to all
      const std::uint64_t position_before = position;
      const std::size_t from = std::size_t{place} * deficit_exports::max_exported;
#pragma unroll 1
      for (Index first = 0; first < count && position <= end; first += lanes) {
        const Index at = min(first + lane, count - 1);
        const std::uint64_t item_end = exported.inclusive_sum[from + at];
        const Index item = exported.item[from + at];
        std::uint64_t before = __shfl_up_sync(~0U, item_end, 1);
        if (lane == 0) before = position;
        const bool is_first_of_tile = at == 0 && before == balance.lack_before[place];
        const bool is_here = first + lane < count && item_end > begin && before <= end;
        const unsigned here = __ballot_sync(~0U, is_here ? 1 : 0);
        const Index to = received + __popc(here & ((1U << lane) - 1));
        if (is_here && to < capacity) {
          storage_.keys.set(place_received(to),
                            (item_end - begin) << 1 | (is_first_of_tile ? 1 : 0));
          storage_.donor_item[to] = item;
        }
        received += __popc(here);
        position = max(position, __shfl_sync(~0U, item_end, lanes - 1));
      }
      // The tile has exported too many.
      if (position == position_before) return capacity + 1;
    }
    return received;
  }
};

/// Performs the task of `number`: first the tiles that lack mass, which do not wait; then those
/// with an excess, from the last to the first, as each waits for the one behind it.
template <class Map, class T, class Rows, class Shape>
[[nodiscard]] __device__ bool make_rows_by_deficits(
    TileStorage<T, Shape>& storage, Index number, Index later, const T* weights,
    const MassTile* tiles, const DeviceWeightSummary* summary, const Balance& balance,
    const DeficitExports& exported, const Rows& rows) {
  const Map map{balance.map.items};
  const Index excess_tiles = *balance.excess_count;
  const Index lacks = balance.tiles - excess_tiles;
  const auto tile_of = [&](Index task) {
    return task < lacks ? balance.lacking_tile(task, excess_tiles)
                        : balance.excess_tile(balance.tiles - 1 - task);
  };
  const Index of_task = tile_of(number);
  DeficitTile<T, Rows, Shape, Map> tile(storage, rows, of_task, map[of_task]);
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x < 32 && later < balance.tiles) prefetch_tile(weights, map[tile_of(later)]);
#endif
  T weight[Shape::thread_items];
  tile.load(weights, weight);
  const bool is_lacking = number < lacks;
  const Index excess_place = balance.tiles - 1 - number;
  if (!is_lacking && threadIdx.x < 32) {
    tile.receive(balance, exported, excess_place, excess_tiles);
  }
  tile.template use<true>(weight, tiles[of_task], summary->valid);
  return is_lacking ? tile.export_deficits(balance, exported, number, excess_tiles)
                    : tile.fill_deficits(balance, excess_place, excess_tiles);
}

/// Writes the rows of all tiles by exports of deficits, by any number of resident blocks of
/// `Shape::threads` threads. Returns false, after all blocks have come here, if the weights are not
/// supported; the rows are then undefined.
template <class Map, class T, class Rows, class Shape>
[[nodiscard]] __device__ bool make_all_rows_by_deficits(TileStorage<T, Shape>& storage,
                                                        const T* weights, const MassTile* tiles,
                                                        const DeviceWeightSummary* summary,
                                                        const Balance& balance,
                                                        const DeficitExports& exported,
                                                        const Rows& rows) {
  Balance::Counters& counters = *balance.counters;
  TaskQueue tasks(counters.deficits_taken);
  Index made = 0;
  for (; tasks.current() < balance.tiles; ++made) {
    tasks.take_later();
    if (!make_rows_by_deficits<Map, T, Rows, Shape>(storage, tasks.current(), tasks.next(), weights,
                                                    tiles, summary, balance, exported, rows) &&
        threadIdx.x == 0) {
      atomicOr(&counters.deficits_failed, 1);
    }
    tasks.go_on();
  }
  wait_for_all(counters.deficits_done, made, balance.tiles);
  return *const_cast<volatile Index*>(&counters.deficits_failed) == 0;
}

}  // namespace wrsgpu::merge
