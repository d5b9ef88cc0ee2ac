// The masses of up to 2,048 items of one or several segments, by a block.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "wrsgpu/detail/core/block_scan.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/detail/segments/segment_rows.hpp"

namespace wrsgpu::segments {

inline constexpr unsigned block_threads = 256;
inline constexpr int thread_items = 8;
inline constexpr Index block_items = block_threads * thread_items;
static_assert(block_items == part_items);

/// A sum, modulo 2^64, for `BlockScan`.
struct WordSum {
  std::uint64_t value;

  [[nodiscard]] __device__ friend WordSum operator+(const WordSum& a, const WordSum& b) {
    return {a.value + b.value};
  }
  template <class Shuffle>
  [[nodiscard]] __device__ WordSum shuffled(const Shuffle& shuffle) const {
    return {shuffle(value)};
  }
};
using WordScan = BlockScan<WordSum, block_threads>;

/// Deficits and number of the light items among some items, of a sum of deficits of at most 2^43.
class LightSum {
 public:
  LightSum() = default;
  __device__ explicit LightSum(WordSum packed) : packed_(packed.value) {}
  __device__ void add(std::uint64_t deficit) { packed_ += deficit << count_digits | 1; }
  [[nodiscard]] __device__ WordSum packed() const { return {packed_}; }
  [[nodiscard]] __device__ std::uint64_t deficits() const { return packed_ >> count_digits; }
  [[nodiscard]] __device__ Index lights() const {
    return static_cast<Index>(packed_) & ((Index{1} << count_digits) - 1);
  }

 private:
  static constexpr int count_digits = 12;
  std::uint64_t packed_ = 0;
};

/// Shared memory. Each union holds one member after the other.
template <class T>
struct SegmentStorage {
  /// The place of an item in the arrays of one element per item: threads access eight neighbours,
  /// which would be in few memory banks.
  [[nodiscard]] static __device__ constexpr Index place(Index item) { return item + item / 8; }
  static constexpr Index places = block_items + block_items / 8;

  union {
    T weights[places];
    std::uint64_t slopes[block_items];  ///< u, by the first item of a segment
    CompactRow rows[places];
  };
  union {
    int exponents[block_items];  ///< of the largest weight, by the first item of a segment
    std::uint64_t bases[block_items + 1];  ///< sum of the v before an item that begins a segment
    std::uint64_t
        keys[block_items + 2];  ///< `MergeKey`: light items, D of all, heavy items, `none`
  };
  Index heads[block_items / 32];      ///< a bit for each item, set if a segment begins with it
  int last_head[block_items / 32];    ///< the last head before these 32 items
  Index next_head[block_items / 32];  ///< the first head after these 32 items, or their number
  typename WordScan::Storage v_scan;
  typename WordScan::Storage light_scan;
};

/// An entry of the lists of segment_rows.hpp: a sum of at most 2^43, and an item.
struct MergeKey {
  static constexpr int item_digits = 11;
  static constexpr std::uint64_t item_mask = (std::uint64_t{1} << item_digits) - 1;
  /// Behind all others.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  [[nodiscard]] static __device__ std::uint64_t of(std::uint64_t sum, Index item) {
    return sum << item_digits | item;
  }
  [[nodiscard]] static __device__ std::uint64_t sum(std::uint64_t key) {
    return key >> item_digits;
  }
  [[nodiscard]] static __device__ Index item(std::uint64_t key) {
    return static_cast<Index>(key & item_mask);
  }
  /// Whether D_l < E_h: of equal sums a heavy item ends before a light one begins.
  [[nodiscard]] static __device__ bool is_light_first(std::uint64_t light, std::uint64_t heavy) {
    return light < (heavy & ~item_mask);
  }
};

/// Up to `block_items` items, eight neighbours for each thread. All threads of the block call each
/// function, in the order in which they are declared.
template <class T>
class SegmentBlock {
 public:
  using Storage = SegmentStorage<T>;

  /// `begin` is the number of the first of the `items` items among all.
  __device__ SegmentBlock(Storage& storage, Index begin, Index items)
      : storage_(storage), begin_(begin), items_(items) {}

  /// Loads the weights, calls `report(item)` for each invalid one, and treats that as 0.
  template <class Report>
  __device__ void load(const T* weights, const Report& report) {
    __syncthreads();  // the storage may still be read
    if (threadIdx.x < block_items / 32) storage_.heads[threadIdx.x] = 0;
    for (Index i = threadIdx.x; i < block_items; i += block_threads) {
      T weight = i < items_ ? weights[begin_ + i] : T{0};
      if (!(weight >= 0 && weight <= max_weight)) {
        report(begin_ + i);
        weight = 0;
      }
      storage_.weights[Storage::place(i)] = weight;
      storage_.exponents[i] = no_exponent;
    }
    __syncthreads();
  }
  /// Marks the item, counted from `begin`, with which a segment begins. Any thread; the first item
  /// is always marked.
  __device__ void mark_head(Index item) {
    atomicOr(&storage_.heads[item / 32], Index{1} << item % 32);
  }

  /// Step 1 of segment_masses.hpp. Returns the sum of the v of all items, modulo 2^64.
  __device__ std::uint64_t sum_weights() {
    if (threadIdx.x == 0) mark_head(0);
    __syncthreads();
    find_word_heads();
    __syncthreads();
    find_heads();
    T weight[thread_items];
#pragma unroll
    for (int k = 0; k < thread_items; ++k)
      weight[k] = storage_.weights[Storage::place(first() + k)];
    find_exponents(weight);
    __syncthreads();
    IntegerWeight<T> integer(part_shift(storage_.exponents[head_]));
    std::uint64_t sum = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (is_head(k)) integer = IntegerWeight<T>(part_shift(storage_.exponents[first() + k]));
      sum += integer.floor(weight[k]);
      number_[k] = sum;
    }
    const BlockSum<WordSum> sums = WordScan::exclusive(storage_.v_scan, WordSum{sum});
    before_ = sums.before.value;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) number_[k] += before_;
    return sums.all.value;
  }
  /// e, if all items are of one segment; after `sum_weights`, before `find_masses`.
  [[nodiscard]] __device__ int shift() const { return part_shift(storage_.exponents[0]); }

  /// Step 3 for whole segments. `total` is the result of `sum_weights`. Calls `report(item)` for
  /// the first item of each segment without weight, whose items get 2^32 each.
  template <class Report>
  __device__ void find_masses(std::uint64_t total, const Report& report) {
    find_masses(
        total, [](Index items) { return std::uint64_t{items} << 32; }, report, false);
  }
  /// Step 3 for a part of a segment, of mass `mass`.
  __device__ void find_masses_of_part(std::uint64_t total, std::uint64_t mass) {
    find_masses(
        total, [mass](Index /*items*/) { return mass; }, [](Index) {}, true);
  }
  /// Sums the light items. Returns those of all threads.
  __device__ LightSum sum_lights() {
    LightSum own;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (has(k) && is_light(k)) own.add(fixed_bucket - number_[k]);
    }
    const BlockSum<WordSum> sums = WordScan::exclusive(storage_.light_scan, own.packed());
    lights_before_ = LightSum(sums.before);
    return LightSum(sums.all);
  }

  /// Calls `light(item, l, deficits)` and `heavy(item, h, excesses)` for the thread's items, with
  /// their number in their list and their sum. `item` counts from `begin`.
  template <class Light, class Heavy>
  __device__ void for_each_item(const Light& light, const Heavy& heavy) const {
    Index l = lights_before_.lights();
    Index h = min(first(), items_) - l;
    std::uint64_t deficits = lights_before_.deficits();
    std::uint64_t excesses = deficits - balance_;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (!has(k)) break;
      if (is_light(k)) {
        light(first() + k, l++, deficits);
        deficits += fixed_bucket - number_[k];
      } else {
        excesses += number_[k] - fixed_bucket;
        heavy(first() + k, h++, excesses);
      }
    }
  }
  /// Whether the thread's item `item` is in a segment without weight.
  [[nodiscard]] __device__ bool is_without_weight(Index item) const {
    return (without_ >> (item - first()) & 1) != 0;
  }

  /// Makes the rows of segments that are all whole, and writes them. Each thread makes as many
  /// steps of the merge of segment_rows.hpp, from a merge path search on.
  __device__ void write_rows(CompactRow* rows) {
    const LightSum all = sum_lights();
    const Index lights = all.lights();
    const Index heavies = items_ - lights;
    std::uint64_t* const light_keys = storage_.keys;
    std::uint64_t* const heavy_keys = storage_.keys + lights + 1;
    // As `for_each_item`, without branches.
    std::uint64_t deficits = lights_before_.deficits();
    std::uint64_t excesses = deficits - balance_;
    Index light_end = lights_before_.lights();
    Index heavy_end = lights + 1 + min(first(), items_) - light_end;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (!has(k)) break;
      const std::uint64_t excess = number_[k] - fixed_bucket;  // modulo 2^64
      const bool is_heavy = !is_light(k);
      excesses += is_heavy ? excess : 0;
      storage_.keys[is_heavy ? heavy_end : light_end] =
          MergeKey::of(is_heavy ? excesses : deficits, first() + k);
      deficits -= is_heavy ? 0 : excess;
      (is_heavy ? heavy_end : light_end) += 1;
    }
    if (threadIdx.x == 0) light_keys[lights] = MergeKey::of(all.deficits(), 0);
    if (threadIdx.x == 1) heavy_keys[heavies] = MergeKey::none;
    __syncthreads();
    const Index start = min(first(), items_);
    const Index stop = min(start + thread_items, items_);
    Index low = start > heavies ? start - heavies : 0;
    Index high = min(start, lights);
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (MergeKey::is_light_first(light_keys[middle], heavy_keys[start - middle - 1])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // Of the next light and the next heavy item.
    Index light_place = low;
    Index heavy_place = lights + 1 + start - low;
    std::uint64_t light = storage_.keys[light_place];
    std::uint64_t heavy = storage_.keys[heavy_place];
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (start + k >= stop) break;
      const bool is_light = MergeKey::is_light_first(light, heavy);
      const std::uint64_t current = is_light ? light : heavy;
      const std::uint64_t next = storage_.keys[is_light ? ++light_place : ++heavy_place];
      // What the bucket lacks up to the next sum of deficits.
      const std::uint64_t lack = MergeKey::sum(is_light ? next : light) - MergeKey::sum(current);
      const Index item = MergeKey::item(current);
      const Index alias = lack == 0 ? item : MergeKey::item(is_light ? heavy : next);
      storage_.rows[Storage::place(item)] = {0 - static_cast<Index>(lack), begin_ + alias};
      (is_light ? light : heavy) = next;
    }
    if (__syncthreads_or(without_ != 0 ? 1 : 0) != 0) {
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        if ((without_ >> k & 1) == 0 || !has(k)) continue;
        storage_.rows[Storage::place(first() + k)] = row_without_weight();
      }
      __syncthreads();
    }
    for (Index i = threadIdx.x; i < items_; i += block_threads) {
      rows[begin_ + i] = storage_.rows[Storage::place(i)];
    }
  }

  /// Writes the prefix sums of the masses, by segment, into shared memory and returns them. After
  /// `find_masses`.
  [[nodiscard]] __device__ const std::uint64_t* write_prefix_masses() {
    __syncthreads();
    std::uint64_t prefix = (std::uint64_t{first()} << 32) - (std::uint64_t{head_} << 32) - balance_;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (is_head(k)) prefix = 0;
      prefix += number_[k];
      if (has(k)) storage_.keys[first() + k] = is_without_weight(first() + k) ? 0 : prefix;
    }
    __syncthreads();
    return storage_.keys;
  }

 private:
  static constexpr T max_weight = sizeof(T) == 4 ? static_cast<T>(3.40282346638528859812e+38F)
                                                 : static_cast<T>(1.7976931348623157e308);

  /// A segment as its items see it.
  struct Segment {
    Index head;
    bool has_weight;
    std::uint64_t base;
    PrefixMass prefix_mass;
  };

  [[nodiscard]] __device__ Index first() const { return threadIdx.x * thread_items; }
  [[nodiscard]] __device__ bool has(int k) const { return first() + k < items_; }
  [[nodiscard]] __device__ bool is_head(int k) const { return (heads_ >> k & 1) != 0; }
  [[nodiscard]] __device__ bool is_light(int k) const { return number_[k] <= fixed_bucket; }
  /// The first head from the thread's k-th item on, after its first one if that is `head_`.
  [[nodiscard]] __device__ Index next_head_from(int k) const {
    const Index later = heads_ >> k;
    return later != 0 ? first() + k + lowest_bit(later) : next_;
  }
  [[nodiscard]] static __device__ Index lowest_bit(Index bits) {
    return static_cast<Index>(__ffs(static_cast<int>(bits)) - 1);
  }
  [[nodiscard]] static __device__ int highest_bit(Index bits) {
    return 31 - __clz(static_cast<int>(bits));
  }

  /// The heads nearest to each 32 items, by the first warp.
  __device__ void find_word_heads() {
    if (threadIdx.x >= 32) return;
    const Index lane = threadIdx.x;
    const Index low = storage_.heads[2 * lane];
    const Index high = storage_.heads[2 * lane + 1];
    const int base = static_cast<int>(64 * lane);
    const int last_of_low = low != 0 ? base + highest_bit(low) : -1;
    int last = high != 0 ? base + 32 + highest_bit(high) : last_of_low;
    const Index next_of_high = high != 0 ? 64 * lane + 32 + lowest_bit(high) : items_;
    Index next = low != 0 ? 64 * lane + lowest_bit(low) : next_of_high;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const int below = __shfl_up_sync(~0U, last, distance);
      const Index above = __shfl_down_sync(~0U, next, distance);
      if (lane >= distance) last = max(last, below);
      if (lane + distance < 32) next = min(next, above);
    }
    const int last_below = __shfl_up_sync(~0U, last, 1);
    const Index next_above = __shfl_down_sync(~0U, next, 1);
    const int last_before = lane == 0 ? -1 : last_below;
    const Index next_after = lane == 31 ? items_ : next_above;
    storage_.last_head[2 * lane] = last_before;
    storage_.last_head[2 * lane + 1] = last_of_low >= 0 ? last_of_low : last_before;
    storage_.next_head[2 * lane] = high != 0 ? next_of_high : next_after;
    storage_.next_head[2 * lane + 1] = next_after;
  }

  /// The heads among the thread's items and next to them.
  __device__ void find_heads() {
    const Index word = threadIdx.x / 4;
    const Index shift = threadIdx.x % 4 * thread_items;
    const Index bits = storage_.heads[word];
    heads_ = bits >> shift & 0xFF;
    const Index below = bits & ((Index{1} << shift) - 1);
    const Index above = shift == 24 ? 0 : bits >> (shift + thread_items);
    head_ = below != 0 ? 32 * word + highest_bit(below)
                       : static_cast<Index>(max(storage_.last_head[word], 0));
    if (is_head(0)) head_ = first();
    next_ = above != 0 ? first() + thread_items + lowest_bit(above) : storage_.next_head[word];
  }

  /// Finds the largest exponent of each segment.
  __device__ void find_exponents(const T (&weight)[thread_items]) {
    Index head = head_;
    int largest = no_exponent;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (k > 0 && is_head(k)) {
        atomicMax(&storage_.exponents[head], largest);
        head = first() + k;
        largest = no_exponent;
      }
      largest = max(largest, exponent_of(static_cast<double>(weight[k])));
    }
    // A warp whose items are all of one segment adds one number.
    const Index first_head = __shfl_sync(~0U, head_, 0);
    const bool is_one = head == head_ && head == first_head;
    if (__all_sync(~0U, is_one ? 1 : 0) != 0) {
      largest = static_cast<int>(warp_max(static_cast<Index>(largest - no_exponent))) + no_exponent;
      if (threadIdx.x % 32 != 0) return;
    }
    atomicMax(&storage_.exponents[head], largest);
  }

  template <class MassOf, class Report>
  __device__ void find_masses(std::uint64_t total, const MassOf& mass_of, const Report& report,
                              bool is_part) {
    find_slopes(total, mass_of, report);
    without_ = 0;
    Segment segment = segment_from(head_, next_head_from(0), mass_of, is_part);
    std::uint64_t prefix = is_head(0) ? 0 : segment.prefix_mass(before_ - segment.base);
    balance_ = segment.has_weight ? (std::uint64_t{first() - segment.head} << 32) - prefix : 0;
    if (is_head(0)) balance_ = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (is_head(k)) {
        segment = segment_from(first() + k, next_head_from(k + 1), mass_of, is_part);
        prefix = 0;
      }
      if (segment.has_weight) {
        const std::uint64_t inclusive = segment.prefix_mass(number_[k] - segment.base);
        number_[k] = inclusive - prefix;
        prefix = inclusive;
      } else {
        number_[k] = fixed_bucket;
        without_ |= 1U << k;
      }
    }
  }

  /// The sums before the segments, and u of each segment.
  template <class MassOf, class Report>
  __device__ void find_slopes(std::uint64_t total, const MassOf& mass_of, const Report& report) {
    __syncthreads();  // the exponents may still be read
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (is_head(k)) storage_.bases[first() + k] = k == 0 ? before_ : number_[k > 0 ? k - 1 : 0];
    }
    if (threadIdx.x == 0) storage_.bases[items_] = total;
    __syncthreads();
    // The heads of the warp, one for each lane at a time: a division takes as long for one lane.
    const Index lane = threadIdx.x % 32;
    const auto own = static_cast<Index>(__popc(heads_));
    const Index inclusive = warp_inclusive_sum(own);
    const Index heads = __shfl_sync(~0U, inclusive, 31);
    for (Index done = 0; done < heads; done += 32) {
      const Index rank = min(done + lane, heads - 1);
      Index owner = 0;  // of the thread's head: all heads of lower lanes come before it
#pragma unroll
      for (Index step = 16; step > 0; step /= 2) {
        owner += __shfl_sync(~0U, inclusive, owner + step - 1) <= rank ? step : 0;
      }
      Index later = __shfl_sync(~0U, heads_, owner);  // heads of the owner from the thread's on
      for (Index before = rank - __shfl_sync(~0U, inclusive - own, owner); before > 0; --before) {
        later &= later - 1;
      }
      const Index next_of_owner = __shfl_sync(~0U, next_, owner);
      const Index owner_first = first() + (owner - lane) * thread_items;
      const Index head = owner_first + lowest_bit(later);
      later &= later - 1;
      const Index next = later != 0 ? owner_first + lowest_bit(later) : next_of_owner;
      if (done + lane >= heads) continue;
      const std::uint64_t sum = storage_.bases[next] - storage_.bases[head];
      storage_.slopes[head] = PrefixMass(sum, mass_of(next - head)).slope();
      if (sum == 0) report(begin_ + head);
    }
    __syncthreads();
  }
  template <class MassOf>
  [[nodiscard]] __device__ Segment segment_from(Index head, Index next, const MassOf& mass_of,
                                                bool is_part) const {
    const std::uint64_t base = storage_.bases[head];
    const std::uint64_t total = storage_.bases[next] - base;
    return {head, is_part || total != 0, base,
            PrefixMass(total, mass_of(next - head), storage_.slopes[head])};
  }

  Storage& storage_;
  Index begin_;
  Index items_;
  Index heads_ = 0;  // a bit for each of the thread's items
  Index head_ = 0;   // the head of the segment of the thread's first item
  Index next_ = 0;   // the first head after the thread's items, or the number of items
  std::uint64_t number_[thread_items];  // inclusive sums of the v, then masses
  std::uint64_t before_ = 0;            // sum of the v before the thread's items
  std::uint64_t balance_ = 0;           // deficits less excesses before the thread's items
  Index without_ = 0;                   // a bit for each item in a segment without weight
  LightSum lights_before_;
};

}  // namespace wrsgpu::segments
