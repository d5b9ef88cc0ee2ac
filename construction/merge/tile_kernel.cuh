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

#include <cuda/atomic>

#include "wrsgpu/construction/device_mass_tiles.cuh"
#include "wrsgpu/construction/merge/handed_on.cuh"

namespace wrsgpu::merge {

inline constexpr int threads = mass_tile_threads;
inline constexpr int thread_items = mass_tile_thread_items;
/// Blocks that a multiprocessor of 227 KB of shared memory has room for.
inline constexpr int resident_blocks = 6;
/// Items handed on that are merged at a time.
inline constexpr Index donor_capacity = 2 * threads;

/// A key of the merge: a sum, then which sequence it is of, then the item: its number in the tile,
/// or that of a donor behind those. Comparing keys compares sums, and puts a light item first where
/// they are equal.
using Key = std::uint64_t;
inline constexpr int item_digits = 12;
inline constexpr int key_shift = item_digits + 1;
inline constexpr Key item_mask = (Key{1} << item_digits) - 1;
inline constexpr Key heavy_bit = Key{1} << item_digits;
inline constexpr Key sum_mask = ~(heavy_bit | item_mask);
static_assert(mass_tile_items + donor_capacity <= item_mask);
/// Behind all heavy items.
inline constexpr Key no_key = sum_mask;

/// Half of the registers of a word. Of a shift the compiler makes a comparison of whole words.
[[nodiscard]] __device__ inline Index high_half(std::uint64_t word) {
  Index high;
  asm("{ .reg .b32 low; mov.b64 {low, %0}, %1; }" : "=r"(high) : "l"(word));
  return high;
}

/// Excesses beyond all that a tile can lack, 2^43, are as good as any, in any order.
[[nodiscard]] __device__ inline std::uint64_t capped(std::uint64_t excesses) {
  constexpr Index most = Index{1} << 16;  // only the higher half is looked at
  const Index high = min(static_cast<Index>(excesses >> 32), most);
  return std::uint64_t{high} << 32 | static_cast<Index>(excesses);
}
[[nodiscard]] __device__ inline Key heavy_key(std::uint64_t excesses, Index item) {
  return capped(excesses) << key_shift | heavy_bit | item;
}
/// Ends the light items: behind heavy keys of the same sum.
[[nodiscard]] __device__ inline Key light_end(std::uint64_t deficits) {
  return deficits << key_shift | heavy_bit | item_mask;
}
[[nodiscard]] __device__ inline std::uint64_t sum_of(Key key) { return key >> key_shift; }
[[nodiscard]] __device__ inline Index item_of(Key key) {
  return static_cast<Index>(key) & static_cast<Index>(item_mask);
}

/// What some of a tile's items have in sum: the light ones lack D in sum, and all together D - E,
/// less than nothing if there is an excess.
class Sides {
 public:
  Sides() = default;
  __device__ Sides(std::uint64_t deficits, Index lights, std::uint64_t lack)
      : deficits_and_lights_(deficits << item_digits | lights), lack_(lack) {}

  [[nodiscard]] __device__ std::uint64_t deficits() const {
    return deficits_and_lights_ >> item_digits;
  }
  [[nodiscard]] __device__ std::uint64_t excesses() const { return deficits() - lack_; }
  [[nodiscard]] __device__ Index lights() const {
    return static_cast<Index>(deficits_and_lights_) & static_cast<Index>(item_mask);
  }

  __device__ Sides& operator+=(const Sides& more) {
    deficits_and_lights_ += more.deficits_and_lights_;
    lack_ += more.lack_;
    return *this;
  }
  [[nodiscard]] __device__ Sides less(const Sides& other) const {
    Sides rest;
    rest.deficits_and_lights_ = deficits_and_lights_ - other.deficits_and_lights_;
    rest.lack_ = lack_ - other.lack_;
    return rest;
  }
  [[nodiscard]] __device__ Sides of_lane_below(int distance) const {
    Sides other;
    other.deficits_and_lights_ = __shfl_up_sync(~0U, deficits_and_lights_, distance);
    other.lack_ = __shfl_up_sync(~0U, lack_, distance);
    return other;
  }

 private:
  // Together below 2^56.
  std::uint64_t deficits_and_lights_;
  std::uint64_t lack_;
};

/// Words in shared memory that threads access at distances of about 8 or 16. Pairs of them change
/// places within a line, so that such accesses do not all meet in one memory bank.
template <Index size>
class Swizzled {
 public:
  [[nodiscard]] __device__ std::uint64_t& operator[](Index i) {
    return *reinterpret_cast<std::uint64_t*>(bytes_ + ((i << 3) ^ (i & 0x70)));
  }

 private:
  static constexpr Index line = 128;
  alignas(line) std::byte bytes_[(size * sizeof(std::uint64_t) + line - 1) / line * line];
};

template <class T>
struct TileStorage {
  Swizzled<mass_tile_items + donor_capacity + 2> keys;
  union {
    typename BlockMasses<T>::Storage masses;
    /// What is written at last: own part and alias.
    Swizzled<mass_tile_items> rows;
  };
  Sides warp_sides[threads / 32];
  Index ended;
  Index donor_item[donor_capacity];
  std::int16_t donor_place[donor_capacity];  // in HandedOn::own, less the item
};
/// Stands for a row that is made elsewhere, where the layout is not compact.
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
                         lack_);
#pragma unroll
    for (int k = 0; k < thread_items; ++k) lack_[k] = fixed_bucket - lack_[k];
    if (size_ == mass_tile_items) {
      make_keys<true>();
    } else {
      make_keys<false>();
    }
    __syncthreads();
  }

  /// Of a tile with an excess: hands on the heavy items beyond what it lacks, and merges the
  /// others. `place` is the tile's in Balance::excess_tiles.
  __device__ void merge_and_hand_on(const Balance& balance, const HandedOn& handed_on,
                                    Index place) {
    const Index ended = storage_.ended;
    Index heavy = heavies_before();
    std::uint64_t excesses = before_.excesses();
    // Those of the last threads, mostly.
    if (heavies_before() + thread_items > ended) {
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        const Index item = first() + k;
        if (item >= size_ || is_light(k)) continue;
        excesses -= lack_[k];
        if (heavy++ < ended) continue;
        handed_on.item[begin_ + (heavy - 1 - ended)] = static_cast<std::uint16_t>(item);
        // The slot's first 64 bits are the compact row.
        if constexpr (is_compact) {
          storage_.rows[item] = excesses - all_.deficits();
        } else {
          slot(rows_, begin_ + item) = excesses - all_.deficits();
          storage_.rows[item] = no_row;
        }
      }
    }
    merge<false>(0, all_.lights(), ended, handed_on);
    write();
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<Index, cuda::thread_scope_device>(balance.handed_on_count[place])
          .store(heavies() - ended, cuda::memory_order_release);
    }
  }

  /// Of a tile that lacks mass, or has just enough: merges all, and what others hand on. `place` is
  /// the tile's in Balance::lack_tiles.
  __device__ void merge_with_others(const Balance& balance, const HandedOn& handed_on,
                                    Index place) {
    const Index donor_tiles = *balance.excess_count;
    const std::uint64_t deficits = all_.deficits();
    Index tile = balance.donor_tile[place];
    if (deficits == all_.excesses() || tile == donor_tiles) {
      merge<false>(0, all_.lights(), heavies(), handed_on);
      write();
      return;
    }
    const std::uint64_t lack_begin = balance.lack_before[place];
    Index own = heavies();
    Index count = wait_for(balance, tile);
    Index next = skip_used(balance, handed_on, tile, count, lack_begin);
    Index light = 0;
    bool is_first = true;
    for (;;) {
      // Where the merge begins anew, the items handed on take the place of the tile's own.
      Index donors = 0;
      Index ended = own;
      bool is_last = false;
      while (donors + threads <= donor_capacity && !is_last) {
        const Loaded loaded =
            load_donors(balance, handed_on, tile, next, count, donors, own, lack_begin, is_first);
        next += threads;
        donors += loaded.donors;
        ended += loaded.ended;
        is_last = loaded.ended < loaded.donors;
        if (next >= count && !is_last) {
          next = 0;
          ++tile;
          is_last = tile == donor_tiles;
          if (!is_last) count = wait_for(balance, tile);
        }
      }
      if (threadIdx.x == 0) storage_.keys[heavy_begin() + own + donors] = no_key;
      __syncthreads();
      const Index last_light =
          is_last ? all_.lights()
                  : light + count_less(light, all_.lights() - light,
                                       storage_.keys[heavy_begin() + own + donors - 1]);
      merge<true>(light, last_light, ended, handed_on);
      if (is_last) break;
      light = last_light;
      own = 0;
      __syncthreads();
    }
    write();
  }

 private:
  static constexpr bool is_compact = Rows::layout == Layout::compact_rows;

  [[nodiscard]] __device__ static Index first() { return threadIdx.x * thread_items; }
  [[nodiscard]] __device__ Index heavies() const { return size_ - all_.lights(); }
  [[nodiscard]] __device__ Index heavies_before() const {
    return (first() < size_ ? first() : size_) - before_.lights();
  }
  /// Where the heavy keys begin.
  [[nodiscard]] __device__ Index heavy_begin() const { return all_.lights() + 1; }
  /// What the thread's item k lacks is at most 2^32; heavy items lack less than nothing.
  [[nodiscard]] __device__ bool is_light(int k) const { return high_half(lack_[k]) <= 1; }

  /// Sums up the tile, and writes the keys of both sequences. `is_full`: there are as many items as
  /// a tile can have.
  template <bool is_full>
  __device__ void make_keys() {
    std::uint64_t deficits = 0;
    std::uint64_t lack = 0;
    Index lights = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (!is_full && first() + k >= size_) continue;
      lack += lack_[k];
      if (!is_light(k)) continue;
      deficits += lack_[k];
      ++lights;
    }
    const Sides mine(deficits, lights, lack);
    scan(mine);
    find_border(mine);

    deficits = before_.deficits();
    std::uint64_t excesses = before_.excesses();
    Index light = before_.lights();
    Index heavy = heavy_begin() + heavies_before();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      const Index item = first() + k;
      if (!is_full && item >= size_) continue;
      const bool lights_turn = is_light(k);
      if (!lights_turn) excesses -= lack_[k];
      const std::uint64_t sum = capped(lights_turn ? deficits : excesses);
      storage_.keys[lights_turn ? light : heavy] =
          sum << key_shift | (item + (lights_turn ? 0 : static_cast<Index>(heavy_bit)));
      if (lights_turn) {
        deficits += lack_[k];
        ++light;
      } else {
        ++heavy;
      }
    }
    if (threadIdx.x == 0) storage_.keys[all_.lights()] = light_end(all_.deficits());
    if (threadIdx.x == threads - 1) storage_.keys[heavy_begin() + heavies()] = no_key;
  }

  /// In a tile with an excess one of the threads has the first heavy item that is handed on: it
  /// finds out how many come before.
  __device__ void find_border(const Sides& mine) {
    const std::uint64_t most = all_.deficits();
    std::uint64_t excesses = before_.excesses();
    if (excesses > most || excesses + mine.excesses() <= most) return;
    Index ended = heavies_before();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first() + k >= size_ || is_light(k)) continue;
      excesses -= lack_[k];
      ended += excesses <= most ? 1 : 0;
    }
    storage_.ended = ended;
  }

  /// Sets the sums of the threads before and of all.
  __device__ void scan(const Sides& mine) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    Sides sum = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sides other = sum.of_lane_below(distance);
      if (lane >= distance) sum += other;
    }
    if (lane == 31) storage_.warp_sides[warp] = sum;
    __syncthreads();
    before_ = sum.less(mine);
    all_ = storage_.warp_sides[0];
#pragma unroll
    for (int w = 1; w < threads / 32; ++w) {
      if (warp == w) before_ += all_;
      all_ += storage_.warp_sides[w];
    }
  }

  /// Waits until a tile with an excess has handed on, and returns how many items. Blocks start in
  /// order, and those of tiles with an excess, which wait for nobody, are the first ones.
  [[nodiscard]] __device__ static Index wait_for(const Balance& balance, Index place) {
    const cuda::atomic_ref<Index, cuda::thread_scope_device> count(balance.handed_on_count[place]);
    Index found;
    while ((found = count.load(cuda::memory_order_acquire)) == Balance::not_yet) __nanosleep(100);
    return found;
  }

  /// The sum of the excesses up to an item handed on, of all tiles'.
  [[nodiscard]] __device__ std::uint64_t handed_on_up_to(const Balance& balance, Index place,
                                                         Index item) const {
    return balance.excess_before[place] + slot(rows_, item);
  }

  /// A number up to which the tiles before this one use all of a tile's `count` items; less than
  /// `threads` before the last of those.
  [[nodiscard]] __device__ Index skip_used(const Balance& balance, const HandedOn& handed_on,
                                           Index place, Index count, std::uint64_t lack_begin) {
    if (count <= threads) return 0;
    const Index step = (count + threads - 1) / threads;
    const Index donor_begin = balance.excess_tiles[place] * mass_tile_items;
    const Index last = (threadIdx.x + 1) * step - 1;
    const bool is_used =
        last < count &&
        handed_on_up_to(balance, place, donor_begin + handed_on.item[donor_begin + last]) <=
            lack_begin;
    return step * static_cast<Index>(__syncthreads_count(is_used ? 1 : 0));
  }

  struct Loaded {
    Index donors;
    Index ended;  // of those, in this tile
  };
  /// Puts up to a thread's one item handed on, from number `next` of a tile's `count` on, behind
  /// `own` heavy items and `donors` others; not those that the tiles before this one use up, who
  /// lack `lack_begin`. They are the first ones, if any.
  [[nodiscard]] __device__ Loaded load_donors(const Balance& balance, const HandedOn& handed_on,
                                              Index place, Index next, Index count, Index donors,
                                              Index own, std::uint64_t lack_begin, bool& is_first) {
    const Index donor_begin = balance.excess_tiles[place] * mass_tile_items;
    const Index number = donor_begin + next + threadIdx.x;
    const bool has_item = next + threadIdx.x < count;
    const Index item = has_item ? donor_begin + handed_on.item[number] : 0;
    const std::uint64_t up_to = has_item ? handed_on_up_to(balance, place, item) : lack_begin;
    Index used = 0;
    if (is_first) {
      used = static_cast<Index>(__syncthreads_count(has_item && up_to <= lack_begin ? 1 : 0));
      is_first = used == threads;
    }
    const bool is_loaded = has_item && threadIdx.x >= used;
    bool ends_here = false;
    if (is_loaded) {
      const Index donor = donors + threadIdx.x - used;
      const std::uint64_t excesses = capped(up_to - lack_begin) + all_.excesses();
      storage_.donor_item[donor] = item;
      storage_.donor_place[donor] = static_cast<std::int16_t>(number - item);
      storage_.keys[heavy_begin() + own + donor] = heavy_key(excesses, mass_tile_items + donor);
      ends_here = excesses <= all_.deficits();
    }
    return {min(count - next, Index{threads}) - used,
            static_cast<Index>(__syncthreads_count(ends_here ? 1 : 0))};
  }

  /// How many of `count` keys from `begin` on are less than `key`.
  [[nodiscard]] __device__ Index count_less(Index begin, Index count, Key key) {
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (storage_.keys[begin + middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Makes the rows of the light items [light_begin, light_stop) and of the first `ended` heavy
  /// items; each thread those of an equal part of the merged sequence.
  template <bool has_donors>
  __device__ void merge(Index light_begin, Index light_stop, Index ended,
                        const HandedOn& handed_on) {
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
    Index heavy = heavy_begin() + start - low;
    Key light_next = keys[light];
    Key heavy_next = keys[heavy];
#pragma unroll 4
    for (Index step = start; step < stop; ++step) {
      const bool is_light = light_next < heavy_next;
      const Key current = is_light ? light_next : heavy_next;
      const Index behind = (is_light ? light : heavy) + 1;
      const Key next = keys[behind];
      // What the bucket lacks: up to the next light item's sum.
      const Key end = is_light ? next : light_next;
      const std::uint64_t lack = (end & sum_mask) - (current & sum_mask);
      const Key donor = is_light ? heavy_next : next;
      const Index item = item_of(current);
      Index alias = begin_ + item_of(donor);
      if (has_donors && item_of(donor) >= mass_tile_items) {
        alias = storage_.donor_item[item_of(donor) - mass_tile_items];
      }
      if (lack == 0) alias = begin_ + item;
      const Index kept = 0 - static_cast<Index>(lack >> key_shift);  // 2^32 is 0
      if (has_donors && item >= mass_tile_items) {
        const Index donated = item - mass_tile_items;
        handed_on.own[storage_.donor_item[donated] +
                      static_cast<Index>(storage_.donor_place[donated])] = kept;
      } else {
        storage_.rows[item] = std::uint64_t{alias} << 32 | kept;
      }
      light_next = is_light ? next : light_next;
      heavy_next = is_light ? heavy_next : next;
      light = is_light ? behind : light;
      heavy = is_light ? heavy : behind;
    }
  }

  /// Writes the rows, in order.
  __device__ void write() {
    __syncthreads();
    if constexpr (is_compact) {
      auto* const rows = reinterpret_cast<std::uint64_t*>(rows_.data() + begin_);
      const Index pairs = size_ / 2;
      for (Index i = threadIdx.x; i < pairs; i += threads) {
        reinterpret_cast<ulonglong2*>(rows)[i] =
            *reinterpret_cast<const ulonglong2*>(&storage_.rows[2 * i]);
      }
      if (threadIdx.x == 0 && size_ % 2 == 1) rows[size_ - 1] = storage_.rows[size_ - 1];
    } else {
      for (Index i = threadIdx.x; i < size_; i += threads) {
        const std::uint64_t row = storage_.rows[i];
        if (row == no_row) continue;
        store(rows_, begin_ + i, static_cast<Index>(row), static_cast<Index>(row >> 32));
      }
    }
  }

  TileStorage<T>& storage_;
  Rows rows_;
  Index begin_;
  Index size_;
  std::uint64_t lack_[thread_items];  // 2^32 less the mass
  Sides before_;                      // of the threads before
  Sides all_;                         // of the tile
};

/// Makes the rows of all tiles but those of items handed on; a block for each tile, first for those
/// with an excess.
template <class T, class Rows>
__global__ void __launch_bounds__(threads, resident_blocks)
    make_rows(const T* weights, Index items, const MassTile* tiles,
              const DeviceWeightSummary* summary, Balance balance, HandedOn handed_on, Rows rows) {
  __shared__ TileStorage<T> storage;
  const Index donors = *balance.excess_count;
  const bool has_excess = blockIdx.x < donors;
  const Index place = has_excess ? blockIdx.x : blockIdx.x - donors;
  const Index number = (has_excess ? balance.excess_tiles : balance.lack_tiles)[place];
  Tile<T, Rows> tile(storage, rows, number, items);
  tile.read(weights, items, tiles[number], summary->fit);
  if (has_excess) {
    tile.merge_and_hand_on(balance, handed_on, place);
  } else {
    tile.merge_with_others(balance, handed_on, place);
  }
}

}  // namespace wrsgpu::merge
