// The two sequences of a tile, by a block: light items in order with the exclusive sums D of
// deficits (2^32 - q), heavy items with the inclusive sums E of excesses (q - 2^32).
#pragma once

#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/merge/merge_path.cuh"
#include "wrsgpu/detail/merge/swizzled.cuh"

namespace wrsgpu::merge {

/// Launch shape of the blocks of tiles.
template <int block_threads>
struct TileShape {
  static constexpr int threads = block_threads;
  static constexpr int thread_items = mass_tile_items / threads;
  /// Resident blocks per multiprocessor, with 64 K registers and 227 KB of shared memory.
  static constexpr int resident_blocks = threads == 128 ? 6 : 4;
  /// Maximum number of exported items that are merged with a tile's own; if there are more, each is
  /// looked up instead.
  static constexpr Index donor_capacity = threads == 128 ? 192 : 640;
  /// Searches per thread at a time, limited by registers.
  static constexpr int donors_ahead = 4;
  /// Threads that store the exports of a tile, which may be all of its items.
  static constexpr Index store_threads = threads == 128 ? 128 : 512;
};

template <class T, class Shape>
struct TileStorage {
  static constexpr Index donor_capacity = Shape::donor_capacity;
  static_assert(mass_tile_items + donor_capacity <= item_mask);

  Swizzled<mass_tile_items + donor_capacity + 2> keys;
  union {
    typename BlockMasses<T, Shape::threads>::Storage masses;
    /// The rows to write: own part and alias. The rows of exported items follow.
    Swizzled<mass_tile_items + donor_capacity> rows;
  };
  Sides warp_sides[Shape::threads / 32];
  Index ended;
  Index donor_item[donor_capacity];
  Index donor_number[donor_capacity];  // index in `MergeExports::own`
  Index chunk[tile_chunks];            // of an interleaved tile
};
/// Marks a row that is written elsewhere or later.
inline constexpr std::uint64_t no_row = ~std::uint64_t{0};
inline constexpr Index none = ~Index{0};

/// The items of an interleaved tile, which has its chunks in shared memory: to compute them for
/// each item would take longer than all else.
class ChunkItems {
 public:
  /// All threads of the block must call it.
  template <class Storage>
  __device__ ChunkItems(Storage& storage, const TileItems& items)
      : chunk_(storage.chunk), size_(items.size()) {
    if (threadIdx.x < tile_chunks) storage.chunk[threadIdx.x] = items.chunk(threadIdx.x);
    __syncthreads();
  }

  [[nodiscard]] static __device__ constexpr bool is_interleaved() { return true; }
  [[nodiscard]] __device__ Index size() const { return size_; }
  [[nodiscard]] __device__ Index operator()(Index place) const {
    return chunk_[place / chunk_items] + place % chunk_items;
  }
  [[nodiscard]] __device__ Index chunk(Index number) const { return chunk_[number]; }

 private:
  const Index* chunk_;
  Index size_;
};

/// Sums and keys of one tile, of the kind of `Map`. All threads of the block must call each
/// function.
template <class T, class Shape, class Map>
class TileSequences {
 protected:
  using Items = std::conditional_t<Map::is_interleaved, ChunkItems, NeighbourItems>;
  static constexpr int threads = Shape::threads;
  static constexpr int thread_items = Shape::thread_items;

 public:
  __device__ TileSequences(TileStorage<T, Shape>& storage, Index number,
                           const typename Map::Items& items)
      : storage_(storage),
        items_(items_of(storage, items)),
        begin_(number * mass_tile_items),
        size_(items.size()) {}

  /// Reads the masses and builds both sequences.
  __device__ void read(const T* weights, const MassTile& tile, bool valid) {
    T weight[thread_items];
    load(weights, weight);
    use(weight, tile, valid);
  }
  __device__ void load(const T* weights, T (&weight)[thread_items]) const {
    load_tile<TileOrder::blocked>(weights, items_, weight);
  }
  /// The same with weights that `load` or `load_tile` has loaded, blocked. `are_mostly_heavy` as
  /// `often_by_all` of `BlockMasses`.
  template <bool are_mostly_heavy = false>
  __device__ void use(const T (&weight)[thread_items], const MassTile& tile, bool valid) {
    BlockMasses<T, threads>::template of<are_mostly_heavy>(
        storage_.masses, weight, static_cast<int>(size_), tile, valid, lack_);
#pragma unroll
    for (int k = 0; k < thread_items; ++k) lack_[k] = fixed_bucket - lack_[k];
    if (size_ == mass_tile_items && tile.mass <= max_plain_mass) {
      make_keys_of_plain();
    } else {
      make_keys();
    }
    __syncthreads();
  }

 protected:
  [[nodiscard]] __device__ static Index first() { return threadIdx.x * thread_items; }
  [[nodiscard]] __device__ Index heavies() const { return size_ - all_.lights(); }
  [[nodiscard]] __device__ Index heavies_before() const {
    return (first() < size_ ? first() : size_) - before_.lights();
  }
  /// Index of the first heavy key.
  [[nodiscard]] __device__ Index heavy_begin() const { return all_.lights() + 1; }
  [[nodiscard]] __device__ bool is_light(int k) const { return merge::is_light(lack_[k]); }

  /// Number of keys of light items that are less than `key`.
  [[nodiscard]] __device__ Index count_less(Key key) {
    Index low = 0;
    Index high = all_.lights();
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (storage_.keys[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  [[nodiscard]] static __device__ Items items_of(TileStorage<T, Shape>& storage,
                                                 const typename Map::Items& items) {
    if constexpr (Map::is_interleaved) {
      return {storage, items};
    } else {
      return items;
    }
  }

  TileStorage<T, Shape>& storage_;
  Items items_;
  Index begin_;  // of the tile's exports
  Index size_;
  std::uint64_t lack_[thread_items];  // 2^32 less the mass
  Sides before_;                      // of the threads before
  Sides all_;                         // of the tile

 private:
  /// Bound of the sums that can be shifted into a key.
  static constexpr std::uint64_t max_plain_mass = std::uint64_t{1} << 50;

  /// Scans the tile, and writes the keys of both sequences.
  __device__ void make_keys() {
    std::uint64_t deficits = 0;
    std::uint64_t lack = 0;
    Index lights = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first() + k >= size_) continue;
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
      if (item >= size_) continue;
      if (is_light(k)) {
        storage_.keys.set(light++, deficits << key_shift | item);
        deficits += lack_[k];
      } else {
        excesses -= lack_[k];
        storage_.keys.set(heavy++, heavy_key(excesses, item));
      }
    }
    end_keys();
  }

  /// Fast path for a full tile whose excesses fit in a key.
  __device__ void make_keys_of_plain() {
    std::uint64_t deficits = 0;
    std::uint64_t lack = 0;
    Index lights = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) lack += lack_[k];
    add_lights(lack_, deficits, lights);
    const Sides mine(deficits, lights, lack);
    scan(mine);
    find_border(mine);

    const auto& keys = storage_.keys;
    write_keys(keys, lack_, before_.deficits() << key_shift | first(),
               before_.excesses() << key_shift | heavy_bit | first(), keys.place(before_.lights()),
               keys.place(heavy_begin() + heavies_before()));
    end_keys();
  }

  __device__ void end_keys() {
    if (threadIdx.x == 0) storage_.keys.set(all_.lights(), light_end(all_.deficits()));
    if (threadIdx.x == threads - 1) storage_.keys.set(heavy_begin() + heavies(), no_key);
  }

  /// In a tile with an excess, one of the threads holds the first heavy item that is exported, and
  /// determines the number of heavy items before it.
  __device__ void find_border(const Sides& mine) {
    const std::uint64_t maximum = all_.deficits();
    std::uint64_t excesses = before_.excesses();
    if (excesses > maximum || excesses + mine.excesses() <= maximum) return;
    Index ended = heavies_before();
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (first() + k >= size_ || is_light(k)) continue;
      excesses -= lack_[k];
      ended += excesses <= maximum ? 1 : 0;
    }
    storage_.ended = ended;
  }

  /// Sets the sums over the preceding threads and over all threads.
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
};

}  // namespace wrsgpu::merge
