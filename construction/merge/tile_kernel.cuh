// The rows of one tile, by a block.
//
// Light items in order have the sums D of deficits (2^32 - q) before them, heavy items the sums E
// of excesses (q - 2^32) up to and with their own. Two ascending sequences: the light item with D
// before it is filled by the first heavy item with E >= D, and that heavy item ends, keeping
// 2^32 + E - D, where D first exceeds E. So the merged sequence of both, a light item before a
// heavy one of the same key, has everything that a row needs next to it.
//
// Behind a tile's own heavy items those follow, in a tile that lacks mass, that others hand on.
#pragma once

#include <cub/block/block_scan.cuh>

#include "wrsgpu/construction/device_mass_tiles.cuh"
#include "wrsgpu/construction/merge/handed_on.cuh"

namespace wrsgpu::merge {

inline constexpr int threads = mass_tile_threads;
inline constexpr int thread_items = mass_tile_thread_items;
/// Items handed on that are merged at a time.
inline constexpr Index donor_capacity = 512;

/// A key of the merge: a sum, then which sequence it is of, then the item's number in the tile.
/// Comparing keys compares sums, and puts a light item first where they are equal.
using Key = std::uint64_t;
inline constexpr int key_shift = 12;
static_assert(mass_tile_items == 1 << (key_shift - 1));
inline constexpr Key no_key = ~Key{0};

[[nodiscard]] __device__ inline Key light_key(std::uint64_t deficits, Index item) {
  return deficits << key_shift | item;
}
/// Excesses beyond all that a tile can lack, 2^43, are as good as any.
[[nodiscard]] __device__ inline std::uint64_t capped(std::uint64_t excesses) {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  return excesses < most ? excesses : most;
}
[[nodiscard]] __device__ inline Key heavy_key(std::uint64_t excesses, Index item) {
  return capped(excesses) << key_shift | mass_tile_items | item;
}
/// Ends the light items: behind heavy keys of the same sum.
[[nodiscard]] __device__ inline Key light_end(std::uint64_t deficits) {
  return deficits << key_shift | (2 * mass_tile_items - 1);
}
[[nodiscard]] __device__ inline std::uint64_t sum_of(Key key) { return key >> key_shift; }
[[nodiscard]] __device__ inline Index item_of(Key key) {
  return static_cast<Index>(key) & (mass_tile_items - 1);
}

/// What some of a tile's items have in sum.
struct Sides {
  std::uint64_t deficit;
  std::uint64_t excess;
  Index lights;
};
struct AddSides {
  __device__ Sides operator()(const Sides& a, const Sides& b) const {
    return {a.deficit + b.deficit, a.excess + b.excess, a.lights + b.lights};
  }
};

/// An array in shared memory that threads read at distances of about 8 or 16: one word in 17 is
/// left out, so that they do not all meet in one memory bank.
template <class T, Index size>
class Spread {
 public:
  [[nodiscard]] __device__ T& operator[](Index i) { return words_[i + i / 16]; }

 private:
  T words_[size + size / 16 + 1];
};

template <class T>
struct TileStorage {
  using SidesScan = cub::BlockScan<Sides, threads>;
  Spread<Key, mass_tile_items + donor_capacity + 2> keys;
  /// What is written at last: own part and alias; `no_row` for rows that are made elsewhere.
  union {
    typename BlockMasses<T>::Storage masses;
    typename SidesScan::TempStorage sides;
    Spread<std::uint64_t, mass_tile_items> rows;
  };
  Index donor_item[donor_capacity];
  Index donor_place[donor_capacity];  // in HandedOn::own
  Index ended;
};
inline constexpr std::uint64_t no_row = ~std::uint64_t{0};

/// One tile's merge. All threads of the block call each function.
template <class T, class Rows>
class Tile {
 public:
  __device__ Tile(TileStorage<T>& storage, const Rows& rows, Index number, Index items)
      : storage_(storage),
        rows_(rows),
        begin_(number * mass_tile_items),
        size_(items - begin_ < mass_tile_items ? items - begin_ : mass_tile_items) {}

  /// Reads the masses and makes both sequences.
  __device__ void read(const T* weights, Index items, const MassTile& tile, bool fit) {
    BlockMasses<T>::read(storage_.masses, weights, items, begin_ / mass_tile_items, tile, fit,
                         mass_);
    Sides mine{0, 0, 0};
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first() + k >= size_) continue;
      const bool is_light = mass_[k] <= fixed_bucket;
      mine.lights += is_light ? 1 : 0;
      mine.deficit += is_light ? fixed_bucket - mass_[k] : 0;
      mine.excess += is_light ? 0 : mass_[k] - fixed_bucket;
    }
    __syncthreads();
    typename TileStorage<T>::SidesScan(storage_.sides)
        .ExclusiveScan(mine, before_, Sides{0, 0, 0}, AddSides{}, all_);
    Sides sums = before_;
    Index heavy = heavies_before();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      const Index item = first() + k;
      if (item >= size_) continue;
      if (mass_[k] <= fixed_bucket) {
        storage_.keys[sums.lights++] = light_key(sums.deficit, item);
        sums.deficit += fixed_bucket - mass_[k];
      } else {
        sums.excess += mass_[k] - fixed_bucket;
        storage_.keys[heavy_begin() + heavy++] = heavy_key(sums.excess, item);
      }
    }
    if (threadIdx.x == 0) {
      storage_.keys[all_.lights] = light_end(all_.deficit);
      storage_.keys[heavy_begin() + heavies()] = no_key;
      storage_.ended = 0;
    }
    __syncthreads();  // the union's scan is over, too
  }

  /// Of a tile with an excess: keeps the heavy items beyond what it lacks, and merges the others.
  __device__ void merge_and_hand_on(const HandedOn& handed_on, Index place) {
    Index ended = 0;
    for_heavies([&](Index /*item*/, Index /*heavy*/, std::uint64_t excesses) {
      ended += excesses <= all_.deficit ? 1 : 0;
    });
    if (ended > 0) atomicAdd(&storage_.ended, ended);
    __syncthreads();
    ended = storage_.ended;
    for_heavies([&](Index item, Index heavy, std::uint64_t excesses) {
      if (excesses <= all_.deficit) return;
      handed_on.item[begin_ + heavy - ended] = static_cast<std::uint16_t>(item);
      slot(rows_, begin_ + item) = excesses - all_.deficit;
      storage_.rows[item] = no_row;
    });
    if (threadIdx.x == 0) handed_on.count[place] = heavies() - ended;
    merge(0, ended, heavies(), handed_on);
  }

  /// Of a tile that lacks mass, or has just enough: merges all, and what others hand on.
  __device__ void merge_with_others(const Balance& balance, const HandedOn& handed_on,
                                    Index place) {
    const Index donor_tiles = *balance.excess_count;
    const std::uint64_t lack_begin = balance.lack_before[place];
    Index tile = balance.donor_tile[place];
    Index own = heavies();
    if (all_.deficit == all_.excess || tile == donor_tiles) {
      merge(0, own, own, handed_on);
      return;
    }
    Index next = first_donor(balance, handed_on, tile, lack_begin);
    Index light = 0;
    for (;;) {
      // Where the merge begins anew, the items handed on take the place of the tile's own.
      Index donors = 0;
      bool is_last = false;
      while (donors < donor_capacity && !is_last) {
        const Index count = handed_on.count[tile];
        const Index taken = min(count - next, donor_capacity - donors);
        load_donors(handed_on, balance.excess_tiles[tile], next, taken, donors, own,
                    balance.excess_before[tile] - lack_begin);
        __syncthreads();
        donors += taken;
        next += taken;
        is_last = sum_of(storage_.keys[heavy_begin() + own + donors - 1]) > all_.deficit;
        if (next == count) {
          next = 0;
          ++tile;
          is_last = is_last || tile == donor_tiles;
        }
      }
      if (threadIdx.x == 0) storage_.keys[heavy_begin() + own + donors] = no_key;
      __syncthreads();
      const Index lights = all_.lights - light;
      const Index end = is_last ? count_heavies(own + donors, all_.deficit) : own + donors;
      const Index last_light =
          is_last ? all_.lights
                  : light + count_lights(light, lights,
                                         storage_.keys[heavy_begin() + own + donors - 1]);
      merge(light, end, own, handed_on, last_light);
      if (is_last) return;
      light = last_light;
      own = 0;
      __syncthreads();
    }
  }

  /// Writes the rows, in order.
  __device__ void write() {
    __syncthreads();
    for (Index i = threadIdx.x; i < size_; i += threads) {
      const std::uint64_t row = storage_.rows[i];
      if (row == no_row) continue;
      store(rows_, begin_ + i, static_cast<Index>(row), static_cast<Index>(row >> 32));
    }
  }

 private:
  [[nodiscard]] __device__ static Index first() { return threadIdx.x * thread_items; }
  [[nodiscard]] __device__ Index heavies() const { return size_ - all_.lights; }
  [[nodiscard]] __device__ Index heavies_before() const {
    return (first() < size_ ? first() : size_) - before_.lights;
  }
  /// Where the heavy keys begin.
  [[nodiscard]] __device__ Index heavy_begin() const { return all_.lights + 1; }

  /// Calls `use(item, number of the heavy item, sum of excesses)` for the thread's heavy items.
  template <class Use>
  __device__ void for_heavies(const Use& use) const {
    Index heavy = heavies_before();
    std::uint64_t excesses = before_.excess;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first() + k >= size_ || mass_[k] <= fixed_bucket) continue;
      excesses += mass_[k] - fixed_bucket;
      use(first() + k, heavy++, excesses);
    }
  }

  /// The first item that the tile hands on and that `lack` does not use up.
  [[nodiscard]] __device__ Index first_donor(const Balance& balance, const HandedOn& handed_on,
                                             Index place, std::uint64_t lack) {
    const Index donor_begin = balance.excess_tiles[place] * mass_tile_items;
    const std::uint64_t before = balance.excess_before[place];
    const Index count = handed_on.count[place];
    // All are looked at together: a search would wait for memory at each step.
    Index used = 0;
    for (Index begin = 0; begin < count; begin += threads) {
      const Index k = begin + threadIdx.x;
      const bool is_used =
          k < count && before + slot(rows_, donor_begin + handed_on.item[donor_begin + k]) <= lack;
      used += static_cast<Index>(__syncthreads_count(is_used ? 1 : 0));
    }
    return used;
  }

  /// Puts `count` items handed on behind `own` heavy items and `donors` others. `before`: excesses
  /// of the tiles before theirs, less what the tiles before this one lack (it may wrap).
  __device__ void load_donors(const HandedOn& handed_on, Index tile, Index next, Index count,
                              Index donors, Index own, std::uint64_t before) {
    const Index donor_begin = tile * mass_tile_items;
    for (Index k = threadIdx.x; k < count; k += threads) {
      const Index item = donor_begin + handed_on.item[donor_begin + next + k];
      storage_.donor_item[donors + k] = item;
      storage_.donor_place[donors + k] = donor_begin + next + k;
      storage_.keys[heavy_begin() + own + donors + k] =
          heavy_key(capped(before + slot(rows_, item)) + all_.excess, 0);
    }
  }

  /// How many of the first `count` heavy keys have a sum of at most `most`.
  [[nodiscard]] __device__ Index count_heavies(Index count, std::uint64_t most) {
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (sum_of(storage_.keys[heavy_begin() + middle]) <= most) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  /// How many of `count` light keys from `light` on are less than `key`.
  [[nodiscard]] __device__ Index count_lights(Index light, Index count, Key key) {
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (storage_.keys[light + middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  __device__ void merge(Index light_begin, Index ended, Index own, const HandedOn& handed_on) {
    merge(light_begin, ended, own, handed_on, all_.lights);
  }

  /// Makes the rows of the light items [light_begin, light_stop) and of the first `ended` heavy
  /// items, of which `own` are the tile's; each thread those of an equal part of the merged
  /// sequence.
  __device__ void merge(Index light_begin, Index ended, Index own, const HandedOn& handed_on,
                        Index light_stop) {
    auto& keys = storage_.keys;
    const Index total = light_stop - light_begin + ended;
    const Index share = (total + threads - 1) / threads;
    const Index start = min(threadIdx.x * share, total);
    const Index stop = min(start + share, total);
    // How many of the first `start` are light.
    Index low = start > ended ? start - ended : 0;
    Index high = min(start, light_stop - light_begin);
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (keys[light_begin + middle] < keys[heavy_begin() + start - 1 - middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    Index light = light_begin + low;
    Index heavy = start - low;
    Key light_next = keys[light];
    Key heavy_next = keys[heavy_begin() + heavy];
    for (Index step = start; step < stop; ++step) {
      const bool is_light = light_next < heavy_next && light < light_stop;
      const Key next = keys[is_light ? light + 1 : heavy_begin() + heavy + 1];
      // What is left of a bucket, or beyond it, in 32 bits: 2^32 is 0.
      const auto kept = is_light ? static_cast<Index>(sum_of(light_next) - sum_of(next))
                                 : static_cast<Index>(sum_of(heavy_next) - sum_of(light_next));
      const Index donor = heavy + (is_light ? 0 : 1);
      const Index item = item_of(is_light ? light_next : heavy_next);
      if (is_light || heavy < own) {
        const bool is_full = is_light ? sum_of(light_next) == sum_of(next)
                                      : sum_of(heavy_next) == sum_of(light_next);
        Index alias = begin_ + item;
        if (!is_full) {
          alias = donor < own ? begin_ + item_of(is_light ? heavy_next : next)
                              : storage_.donor_item[donor - own];
        }
        storage_.rows[item] = std::uint64_t{alias} << 32 | kept;
      } else {
        handed_on.own[storage_.donor_place[heavy - own]] = kept;
      }
      if (is_light) {
        light_next = next;
        ++light;
      } else {
        heavy_next = next;
        ++heavy;
      }
    }
  }

  TileStorage<T>& storage_;
  Rows rows_;
  Index begin_;
  Index size_;
  std::uint64_t mass_[thread_items];
  Sides before_;  // of the threads before
  Sides all_;     // of the tile
};

/// Makes the rows of the tiles with an excess, or of all others; a block for each.
template <bool has_excess, class T, class Rows>
__global__ void __launch_bounds__(threads)
    make_rows(const T* weights, Index items, const MassTile* tiles,
              const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on, Rows rows) {
  __shared__ TileStorage<T> storage;
  const Index donors = *balance.excess_count;
  if (blockIdx.x >= (has_excess ? donors : balance.tiles - donors)) return;
  const Index number = (has_excess ? balance.excess_tiles : balance.lack_tiles)[blockIdx.x];
  Tile<T, Rows> tile(storage, rows, number, items);
  tile.read(weights, items, tiles[number], summary->fit);
  if constexpr (has_excess) {
    tile.merge_and_hand_on(handed_on, blockIdx.x);
  } else {
    tile.merge_with_others(balance, handed_on, blockIdx.x);
  }
  tile.write();
}

}  // namespace wrsgpu::merge
