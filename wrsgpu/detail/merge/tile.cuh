// The rows of one tile, with exports between tiles. In a tile that lacks mass, exported items of
// other tiles follow its own heavy items.
#pragma once

#include <cuda/atomic>
#include <cuda/std/bit>

#include "wrsgpu/detail/core/spin_until.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/merge/exports.cuh"
#include "wrsgpu/detail/merge/tile_rows.cuh"

namespace wrsgpu::merge {

/// The donors of a tile that lacks mass.
struct Lacking {
  Index donor_tile;           ///< first tile with an excess that the preceding ones do not use up
  Index donor_end;            ///< one after the last tile from which the block may receive
  bool has_more_blocks;       ///< for the donors from `donor_end` on
  std::uint64_t lack_before;  ///< sum of the deficits of the preceding tiles
  /// The tiles with an excess from which all blocks of the tile receive, possibly nothing from the
  /// last one. `unknown` if they export too many items to merge.
  Index first_donor_tile;
  Index last_donor_tile;
  static constexpr Index unknown = ~Index{0};
};

/// One tile and its exchange with others. All threads of the block must call each function.
template <class T, class Rows, class Shape, class Map>
class Tile : public TileRows<T, Rows, Shape, Map> {
  using Base = TileRows<T, Rows, Shape, Map>;
  using Base::all_;
  using Base::before_;
  using Base::begin_;
  using Base::count_less;
  using Base::first;
  using Base::heavies;
  using Base::heavies_before;
  using Base::heavy_begin;
  using Base::is_compact;
  using Base::is_light;
  using Base::items_;
  using Base::lack_;
  using Base::merge;
  using Base::rows_;
  using Base::size_;
  using Base::storage_;
  using Base::thread_items;
  using Base::threads;
  using Base::write;
  using Base::write_made;
  static constexpr Index donor_capacity = Shape::donor_capacity;
  static constexpr int donors_ahead = Shape::donors_ahead;

 public:
  using Base::Base;

  /// For a tile with an excess: exports the heavy items beyond its deficits, and merges the others.
  /// `place` is the index of the tile in `Balance::order`.
  __device__ void merge_and_export(const Balance& balance, const MergeExports& exported,
                                   Index place) {
    const Index ended = storage_.ended;
    keep_sums_from(ended);
    __syncthreads();
    for (Index heavy = ended + threadIdx.x; heavy < heavies(); heavy += threads) {
      const Index item = item_of(storage_.keys[heavy_begin() + heavy]);
      exported.item[begin_ + heavy - ended] = static_cast<std::uint16_t>(item);
      slot(rows_, items_(item)) = storage_.rows[item];
      // The first 64 bits of the slot are the compact row, which is written again, unchanged, with
      // the other rows.
      if constexpr (!is_compact) storage_.rows.set(item, no_row);
    }
    // Other tiles wait for these items, so they are published before this tile writes its rows. The
    // release store of the count also publishes the writes of the block's threads before the
    // barrier.
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.exported_count[place])
          .store(heavies() - ended, cuda::memory_order_release);
    }
    merge(all_.lights(), ended, [this](Index item) { return items_(item); });
    write([](Index alias) { return alias; });
  }

  /// The tiles with an excess from which a tile receives, one per lane of a warp; unlike `Donors`,
  /// all at once.
  struct DonorTiles {
    Index tile;
    std::uint64_t excess_before;  ///< sum over the tiles before it
    Index count;                  ///< number of items that it exports
    Index end;                    ///< inclusive sum of the counts
    Index total;                  ///< sum of all counts

    [[nodiscard]] __device__ static DonorTiles too_many() {
      return {0, 0, 0, 0, donor_capacity + 1};
    }
  };
  /// The donor tiles of a tile that lacks mass. Waits for their exports.
  [[nodiscard]] __device__ static DonorTiles donor_tiles(const Balance& balance,
                                                         const Lacking& lacking) {
    constexpr Index maximum = 32;
    if (lacking.last_donor_tile - lacking.first_donor_tile >= maximum)
      return DonorTiles::too_many();
    const Index lane = threadIdx.x % 32;
    const Index place = min(lacking.first_donor_tile + lane, lacking.last_donor_tile);
    DonorTiles found{balance.excess_tile(place), balance.excess_before[place],
                     wait_for(balance, place), 0, 0};
    __syncwarp();  // makes the acquire of each lane visible to all
    if (lacking.first_donor_tile + lane > lacking.last_donor_tile) found.count = 0;
    found.end = warp_inclusive_sum(found.count);
    found.total = __shfl_sync(~0U, found.end, maximum - 1);
    return found;
  }
  /// Whether these tiles export few enough items for one block to merge.
  [[nodiscard]] __device__ static bool are_few(const DonorTiles& donors) {
    return donors.total <= donor_capacity;
  }

  /// For a tile without an excess: merges all its items with exports of other tiles.
  __device__ void merge_with_others(const Balance& balance, const MergeExports& exported,
                                    const Lacking& lacking) {
    Index donors = 0;
    Index ended = 0;
    bool is_last = all_.deficits() == all_.excesses() || lacking.donor_tile == lacking.donor_end;
    Donors next{};
    const DonorTiles tiles = is_last ? DonorTiles::too_many() : donor_tiles(balance, lacking);
    if (are_few(tiles)) {
      const Loaded loaded = load_all_donors(balance, exported, tiles, lacking.lack_before);
      donors = loaded.donors;
      ended = loaded.ended;
      is_last = true;
      if (threadIdx.x == 0) storage_.keys.set(heavy_begin() + heavies() + donors, no_key);
      __syncthreads();
    } else if (!is_last) {
      next = donors_of(balance, lacking.donor_tile, lacking.donor_end);
      next.count = wait_for(balance, next.place);
      next.number = skip_used(exported, next, lacking.lack_before);
      bool is_first = true;
      // If a tile has several blocks, the first one needs the first exported item, at which its own
      // heavy items end.
      while (!is_last && next.place < lacking.donor_end &&
             donors + min(next.count - next.number, Index{threads}) <= donor_capacity &&
             !(lacking.has_more_blocks && donors > 0)) {
        const Loaded loaded = load_donors(exported, next, donors, lacking.lack_before, is_first);
        donors += loaded.donors;
        ended += loaded.ended;
        is_last = loaded.ended < loaded.donors ||
                  (!go_on(next, threads, balance, lacking.donor_end) && !lacking.has_more_blocks);
      }
      if (threadIdx.x == 0) storage_.keys.set(heavy_begin() + heavies() + donors, no_key);
      __syncthreads();
    }
    const auto global = [this](Index item) {
      return item < mass_tile_items ? items_(item) : storage_.donor_item[item - mass_tile_items];
    };
    if (is_last) {
      // Few aliases are items of other tiles, so translating them at the end is cheaper.
      merge(all_.lights(), heavies() + ended, [](Index item) { return item; });
      __syncthreads();
      keep_parts_of(ended, exported);
      write(global);
      return;
    }
    const Key last = storage_.keys[heavy_begin() + heavies() + donors - 1];
    const Index light = count_less(last);
    merge(light, heavies() + ended, global);
    __syncthreads();
    keep_parts_of(ended, exported);
    look_up_donors(balance, exported, next, lacking, light);
    write_made([](Index alias) { return alias; });
  }

  /// For a tile that lacks mass: writes the rows of the light items that exports fill, starting
  /// with the first tile of a chunk.
  __device__ void fill_by_chunk(const Balance& balance, const MergeExports& exported,
                                const Lacking& lacking) {
    if (are_few(donor_tiles(balance, lacking))) return;  // the tile's first block merges them
    for (Index i = threadIdx.x; i < size_; i += threads) storage_.rows.set(i, no_row);
    __syncthreads();
    Donors next = donors_of(balance, lacking.donor_tile, lacking.donor_end);
    next.count = wait_for(balance, next.place);
    look_up_donors(balance, exported, next, lacking,
                   count_filled(excess_here(next.excess_before, lacking.lack_before)));
    write_made([](Index alias) { return alias; });
  }

 private:
  [[nodiscard]] static __device__ Map map_of(const Balance& balance) { return {balance.map.items}; }

  /// For a tile with an excess: stores the sums of the exported excesses in the slots of the items'
  /// rows, because keys do not have all bits of the sums.
  __device__ void keep_sums_from(Index ended) {
    // Mostly held by the last threads.
    if (heavies_before() + thread_items <= ended) return;
    Index heavy = heavies_before();
    std::uint64_t excesses = before_.excesses() - all_.deficits();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      const Index item = first() + k;
      if (item >= size_ || is_light(k)) continue;
      excesses -= lack_[k];
      if (heavy++ >= ended) storage_.rows.set(item, excesses);
    }
  }

  /// Waits until a tile with an excess has exported, and returns the number of items. Cannot
  /// deadlock: blocks start in order, and blocks of tiles with an excess come first and never wait.
  [[nodiscard]] __device__ static Index wait_for(const Balance& balance, Index place) {
    return spin_until(balance.exported_count[place],
                      [](Index count) { return count != Balance::not_yet; });
  }

  /// Position in the exports of a tile with an excess.
  struct Donors {
    Index place;                  ///< index of the tile in `Balance::order`
    typename Map::Items items;    ///< of the tile
    Index begin;                  ///< of its exports in `MergeExports`
    std::uint64_t excess_before;  ///< sum over the tiles before it
    Index count;                  ///< number of its exports
    Index number;                 ///< of the next export
  };
  /// The exports of a tile, possibly not yet written.
  [[nodiscard]] __device__ static Donors donors_of(const Balance& balance, Index place,
                                                   Index donor_end) {
    if (place == donor_end) return {place, {}, 0, 0, 0, 0};
    const Index tile = balance.excess_tile(place);
    return {place, map_of(balance)[tile], tile * mass_tile_items, balance.excess_before[place], 0,
            0};
  }
  /// Advances by `step` items, or to the next tile after the last item. Returns whether there is
  /// such an item.
  [[nodiscard]] __device__ static bool go_on(Donors& next, Index step, const Balance& balance,
                                             Index donor_end) {
    next.number += step;
    if (next.number < next.count) return true;
    next = donors_of(balance, next.place + 1, donor_end);
    if (next.place == donor_end) return false;
    next.count = wait_for(balance, next.place);
    return true;
  }

  /// Inclusive sum of the excesses up to an exported item, over all tiles.
  [[nodiscard]] __device__ std::uint64_t exported_inclusive(const Donors& donors,
                                                            Index item) const {
    return donors.excess_before + slot(rows_, item);
  }

  /// Number of leading exports of a tile that the preceding tiles certainly use up; exact up to the
  /// number of exports divided by the number of threads.
  [[nodiscard]] __device__ Index skip_used(const MergeExports& exported, const Donors& all,
                                           std::uint64_t lack_before) {
    if (all.count <= threads) return 0;
    const Index step = (all.count + threads - 1) / threads;
    const Index last = (threadIdx.x + 1) * step - 1;
    const bool is_used =
        last < all.count &&
        exported_inclusive(all, all.items(exported.item[all.begin + last])) <= lack_before;
    return step * static_cast<Index>(__syncthreads_count(is_used ? 1 : 0));
  }

  /// The key sum of an exported item in this tile, whose own heavy items come first; `lack_before`
  /// is the sum of the deficits of the preceding tiles.
  [[nodiscard]] __device__ std::uint64_t excess_here(std::uint64_t inclusive_sum,
                                                     std::uint64_t lack_before) const {
    return capped(inclusive_sum - lack_before) + all_.excesses();
  }

  struct Loaded {
    Index donors;
    Index ended;  // those of them that end in this tile
  };
  /// Appends up to one exported item per thread, from `next` on, to the heavy items and `donors`
  /// other donors; skips items that the preceding tiles, whose deficits sum to `lack_before`, use
  /// up. These are the first ones, if any.
  [[nodiscard]] __device__ Loaded load_donors(const MergeExports& exported, const Donors& next,
                                              Index donors, std::uint64_t lack_before,
                                              bool& is_first) {
    const Index number = next.begin + next.number + threadIdx.x;
    const bool has_item = next.number + threadIdx.x < next.count;
    const Index item = has_item ? next.items(exported.item[number]) : 0;
    const std::uint64_t inclusive_sum = has_item ? exported_inclusive(next, item) : lack_before;
    Index used = 0;
    if (is_first) {
      used =
          static_cast<Index>(__syncthreads_count(has_item && inclusive_sum <= lack_before ? 1 : 0));
      is_first = used == threads;
    }
    const bool is_loaded = has_item && threadIdx.x >= used;
    bool ends_here = false;
    if (is_loaded) {
      const Index donor = donors + threadIdx.x - used;
      const std::uint64_t excesses = excess_here(inclusive_sum, lack_before);
      storage_.donor_item[donor] = item;
      storage_.donor_number[donor] = number;
      storage_.keys.set(heavy_begin() + heavies() + donor,
                        heavy_key(excesses, mass_tile_items + donor));
      ends_here = excesses <= all_.deficits();
    }
    return {min(next.count - next.number, Index{threads}) - used,
            static_cast<Index>(__syncthreads_count(ends_here ? 1 : 0))};
  }

  /// Appends all items that several tiles export to the heavy items, in as few steps as for a
  /// single tile; skips items that the preceding tiles, whose deficits sum to `lack_before`, use
  /// up.
  [[nodiscard]] __device__ Loaded load_all_donors(const Balance& balance,
                                                  const MergeExports& exported,
                                                  const DonorTiles& tiles,
                                                  std::uint64_t lack_before) {
    constexpr int rounds = (static_cast<int>(donor_capacity) + threads - 1) / threads;
    // Clamps to the last item: conditional loads would be serialised.
    const auto is_item = [&](int r) { return r * threads + threadIdx.x < tiles.total; };
    Index number[rounds];
    std::uint64_t inclusive_sum[rounds];
    Index item[rounds];
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const Index donor = min(r * threads + threadIdx.x, tiles.total - 1);
      Index tile = 0;  // all items of preceding tiles come before it
#pragma unroll
      for (Index step = 16; step > 0; step /= 2) {
        const Index end = __shfl_sync(~0U, tiles.end, tile + step - 1);
        tile += end <= donor ? step : 0;
      }
      const Index before = __shfl_sync(~0U, tiles.end, tile) - __shfl_sync(~0U, tiles.count, tile);
      const Index number_of_tile = __shfl_sync(~0U, tiles.tile, tile);
      inclusive_sum[r] = __shfl_sync(~0U, tiles.excess_before, tile);
      number[r] = number_of_tile * mass_tile_items + donor - before;
      item[r] = map_of(balance)[number_of_tile](exported.item[number[r]]);
    }
#pragma unroll
    for (int r = 0; r < rounds; ++r) inclusive_sum[r] += slot(rows_, item[r]);
    Index used = 0;
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      used += static_cast<Index>(
          __syncthreads_count(is_item(r) && inclusive_sum[r] <= lack_before ? 1 : 0));
    }
    Index ended = 0;
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      bool ends_here = false;
      if (is_item(r) && inclusive_sum[r] > lack_before) {
        const Index donor = r * threads + threadIdx.x - used;
        const std::uint64_t excesses = excess_here(inclusive_sum[r], lack_before);
        storage_.donor_item[donor] = item[r];
        storage_.donor_number[donor] = number[r];
        storage_.keys.set(heavy_begin() + heavies() + donor,
                          heavy_key(excesses, mass_tile_items + donor));
        ends_here = excesses <= all_.deficits();
      }
      ended += static_cast<Index>(__syncthreads_count(ends_here ? 1 : 0));
    }
    return {tiles.total - used, ended};
  }

  /// Keeps the own parts of the first `ended` loaded items.
  __device__ void keep_parts_of(Index ended, const MergeExports& exported) {
    for (Index donor = threadIdx.x; donor < ended; donor += threads) {
      exported.own[storage_.donor_number[donor]] =
          static_cast<Index>(storage_.rows[mass_tile_items + donor]);
    }
  }

  /// Writes the rows of the light items from `begin` on if there are too many exported items to
  /// merge. Each exported item, from `next` on, looks up the first and the last light item that it
  /// fills. Light items that no item fills get no row.
  __device__ void look_up_donors(const Balance& balance, const MergeExports& exported, Donors next,
                                 const Lacking& lacking, Index begin) {
    const auto& keys = storage_.keys;
    const Index lights = all_.lights();
    const auto row_of = [&](Index light) { return item_of(keys[light]); };
    for (Index light = begin + threadIdx.x; light < lights; light += threads) {
      storage_.rows.set(row_of(light), no_row);
    }
    __syncthreads();
    if (next.place == lacking.donor_end) return;
    const Index lane = threadIdx.x % 32;
    const Index warp = threadIdx.x / 32;
    // Exchange between warps: the end of a warp's last item, which is the beginning of the next
    // warp's first one; later its last mark. Stored in donor_item, which is no longer used.
    Index* const of_warps = storage_.donor_item;
    static_assert(donors_ahead * (threads / 32) < donor_capacity);
    Index end_before = begin;  // end of all items looked up so far
    bool is_last = false;
    do {
      // Clamps to the last item: conditional loads would be serialised.
      const auto number = [&](int j) { return next.number + j * threads + threadIdx.x; };
      Index item[donors_ahead];
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) {
        item[j] = next.items(exported.item[next.begin + min(number(j), next.count - 1)]);
      }
      std::uint64_t inclusive_sum[donors_ahead];
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) inclusive_sum[j] = exported_inclusive(next, item[j]);
      Key key[donors_ahead];
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) {
        key[j] = heavy_key_of_sum(excess_here(inclusive_sum[j], lacking.lack_before));
      }
      // The light items up to and including the one with which each exported item ends.
      Index end[donors_ahead];
      find_ends(key, begin, end);
      bool reaches_end = false;
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) {
        if (lane == 31) of_warps[j * (threads / 32) + warp] = end[j];
        if (number(j) >= next.count) continue;
        const std::uint64_t excesses = sum_of(key[j]);
        if (excesses > all_.deficits()) {
          reaches_end = true;
          continue;
        }
        const std::uint64_t kept = excesses - sum_of(keys[end[j]]);  // less 2^32
        exported.own[next.begin + number(j)] = static_cast<Index>(kept);
      }
      is_last = __syncthreads_or(reaches_end ? 1 : 0) != 0;
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) {
        Index start = __shfl_up_sync(~0U, end[j], 1);
        const Index row_of_warps = j * (threads / 32) + warp;
        if (lane == 0) start = row_of_warps == 0 ? end_before : of_warps[row_of_warps - 1];
        if (start < end[j]) storage_.rows.set(row_of(start), item[j]);
      }
      end_before = of_warps[donors_ahead * (threads / 32) - 1];
      __syncthreads();
    } while (!is_last && go_on(next, donors_ahead * threads, balance, lacking.donor_end));

    // The donor of a marked light item also fills the following ones, up to the next mark.
    const Index share = (end_before - begin + threads - 1) / threads;
    const Index first_light = min(begin + threadIdx.x * share, end_before);
    const Index last_light = min(first_light + share, end_before);
    const auto marked_by = [&](Index light) {
      const std::uint64_t mark = storage_.rows[row_of(light)];
      return mark == no_row ? none : static_cast<Index>(mark);
    };
    Index donor = none;
    for (Index light = first_light; light < last_light; ++light) {
      const Index mark = marked_by(light);
      if (mark != none) donor = mark;
    }
    // Each thread begins with the last mark of the preceding threads.
    const unsigned marks = __ballot_sync(~0U, donor != none);
    if (donor != none && marks >> lane == 1) of_warps[warp] = donor;
    if (marks == 0 && lane == 0) of_warps[warp] = none;
    const unsigned marks_before = marks & ((1U << lane) - 1);
    donor = __shfl_sync(~0U, donor, marks_before == 0 ? 0 : 31 - __clz(marks_before));
    __syncthreads();
    if (marks_before == 0) {
      donor = none;
      for (Index before = warp; before > 0 && donor == none; --before) {
        donor = of_warps[before - 1];
      }
    }
    for (Index light = first_light; light < last_light; ++light) {
      const Index mark = marked_by(light);
      if (mark != none) donor = mark;
      const Index item = row_of(light);
      const std::uint64_t lack = sum_of(keys[light + 1]) - sum_of(keys[light]);
      const Index alias = lack == 0 ? items_(item) : donor;
      storage_.rows.set(item, std::uint64_t{alias} << 32 | (0 - static_cast<Index>(lack)));
    }
  }

  /// For each key, counts the keys of light items that are less; at least `begin` of them are. The
  /// keys key[j] of a warp ascend with the lane, for each j. So the borders of the first and the
  /// last lane are searched first, for all j concurrently on separate lanes; the others lie between
  /// these, mostly close together.
  __device__ void find_ends(const Key (&key)[donors_ahead], Index begin,
                            Index (&end)[donors_ahead]) const {
    const auto& keys = storage_.keys;
    const Index lane = threadIdx.x % 32;
    Key border = 0;
    static_assert(2 * donors_ahead <= 32);
#pragma unroll
    for (int j = 0; j < donors_ahead; ++j) {
      const Key first_key = __shfl_sync(~0U, key[j], 0);
      const Key last_key = __shfl_sync(~0U, key[j], 31);
      if (lane == 2 * j) border = first_key;
      if (lane == 2 * j + 1) border = last_key;
    }
    Index found = begin;
    for (Index step = mass_tile_items; step > 0; step /= 2) {
      const Index probe = found + step;
      if (probe <= all_.lights() && keys[probe - 1] < border) found = probe;
    }
    Index maximum = 0;
#pragma unroll
    for (int j = 0; j < donors_ahead; ++j) {
      end[j] = __shfl_sync(~0U, found, 2 * j);
      maximum = max(maximum, __shfl_sync(~0U, found, 2 * j + 1) - end[j]);
    }
    for (Index step = cuda::std::bit_floor(maximum); step > 0; step /= 2) {
#pragma unroll
      for (int j = 0; j < donors_ahead; ++j) {
        const Index probe = end[j] + step;
        if (probe <= all_.lights() && keys[probe - 1] < key[j]) end[j] = probe;
      }
    }
  }

  /// Number of light items that this much excess fills, at least in part.
  [[nodiscard]] __device__ Index count_filled(std::uint64_t excesses) {
    return count_less(heavy_key_of_sum(excesses));
  }
};

}  // namespace wrsgpu::merge
