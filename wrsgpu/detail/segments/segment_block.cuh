// The masses of up to 2,048 items of one or several segments, by a block.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "wrsgpu/detail/core/block_scan.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/core/warp_search.cuh"
#include "wrsgpu/detail/merge/merge_path.cuh"
#include "wrsgpu/detail/merge/swizzled.cuh"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/detail/segments/segment_rows.hpp"

namespace wrsgpu::segments {

// Fewer threads with more items take fewer instructions for scans, searches and heads.
inline constexpr unsigned block_threads = 128;
inline constexpr int resident_blocks = 6;  // per multiprocessor
inline constexpr Index block_items = part_items;
inline constexpr int thread_items = block_items / block_threads;

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
  /// The shuffle says whether there is such a lane; the compiler would compare and select.
  __device__ void add_below(unsigned distance) {
    asm volatile(
        "{ .reg .pred is_there;\n"
        "  .reg .b32 low, high, low_below, high_below;\n"
        "  mov.b64 {low, high}, %0;\n"
        "  shfl.sync.up.b32 low_below|is_there, low, %1, 0, -1;\n"
        "  shfl.sync.up.b32 high_below|is_there, high, %1, 0, -1;\n"
        "  @is_there add.cc.u32 low, low, low_below;\n"
        "  @is_there addc.u32 high, high, high_below;\n"
        "  mov.b64 %0, {low, high}; }"
        : "+l"(value)
        : "r"(distance));
  }
};
using WordScan = BlockScan<WordSum, block_threads>;

/// Deficits and number of the light items among some items, of a sum of deficits of at most 2^43.
class LightSum {
 public:
  LightSum() = default;
  __device__ explicit LightSum(WordSum packed) : packed_(packed.value) {}
  __device__ LightSum(std::uint64_t deficits, Index lights)
      : packed_(deficits << count_digits | lights) {}
  [[nodiscard]] __device__ WordSum packed() const { return {packed_}; }
  [[nodiscard]] __device__ std::uint64_t deficits() const { return packed_ >> count_digits; }
  [[nodiscard]] __device__ Index lights() const {
    return static_cast<Index>(packed_) & ((Index{1} << count_digits) - 1);
  }

 private:
  static constexpr int count_digits = 12;
  std::uint64_t packed_ = 0;
};

/// Set in the keys of light items (`merge::Key`): of equal sums a heavy item ends before a light
/// one begins.
inline constexpr merge::Key light_bit = merge::heavy_bit;

/// The place of an item in an array: most often items are accessed that are 16 apart or a multiple
/// of that, which would be in the same memory banks.
[[nodiscard]] WRSGPU_HD constexpr Index padded(Index item) { return item + item / 16; }
inline constexpr Index padded_items = padded(block_items) + 1;

/// Shared memory. Each union holds one member after the other. What segments have is at the place
/// of their first item.
struct SegmentStorage {
  union {
    std::uint64_t bases[padded_items];  ///< sum of the v before a segment, from its thread on
    std::uint64_t prefix_masses[block_items];
    /// Light items, the sum of all deficits, heavy items, `merge::no_key`.
    merge::Swizzled<block_items + 2> keys;
  };
  union {
    int exponents[padded_items];  ///< of the largest weight
    PrefixMass prefix_mass[padded_items];
    merge::Swizzled<block_items> rows;
  };
  Index heads[block_items / 32];    ///< a bit for each item, set if a segment begins with it
  Index without[block_items / 32];  ///< likewise, if that segment has no weight
  bool has_any_without;             ///< whether one of these is set
  std::uint64_t before[block_threads + 1];  ///< sum of the v before the items of a thread
  typename WordScan::Storage v_scan;
  typename WordScan::Storage light_scan;
};

/// The whole segments of a block: `begin_of(s)` is the first item, counted from that of the block,
/// of segment s < `count`, and the number of items for s = `count`.
template <class BeginOf>
struct BlockSegments {
  Index count;
  BeginOf begin_of;

  /// Calls `f(s, begin, end)` for each segment that has items, by all threads of the block: each
  /// for neighbours, as thousands of empty ones may be among them.
  template <class F>
  __device__ void for_each(const F& f) const {
    const Index each = (count + block_threads - 1) / block_threads;
    Index s = min(threadIdx.x * each, count);
    const Index stop = min(s + each, count);
    Index begin = begin_of(s);
    if (begin == begin_of(stop)) return;
    for (; s < stop; ++s) {
      const Index end = begin_of(s + 1);
      if (begin < end) f(s, begin, end);
      begin = end;
    }
  }
};
template <class BeginOf>
BlockSegments(Index, BeginOf) -> BlockSegments<BeginOf>;

/// Loads the thread's weights of the `items` items of a block, which begin with item `begin` of
/// all, 16 bytes at a time where these are whole; 0 beyond the last. Calls `report(item)` for each
/// invalid one, and treats that as 0.
template <class T, class Report>
__device__ void load_weights(T (&to)[thread_items], const T* weights, Index begin, Index items,
                             const Report& report) {
  constexpr bool is_float = std::is_same_v<T, float>;
  using Bits = std::conditional_t<is_float, std::uint32_t, std::uint64_t>;
  using Vector = std::conditional_t<is_float, float4, double2>;
  constexpr T max_weight = is_float ? static_cast<T>(3.40282346638528859812e+38F)
                                    : static_cast<T>(1.7976931348623157e308);
  constexpr int width = sizeof(Vector) / sizeof(T);
  constexpr int vectors = thread_items / width;
  const Index first = threadIdx.x * thread_items;
  const T* const own = weights + begin + first;
  const auto before =  // those before them in the first 16 bytes
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(own) / sizeof(T)) % width;
  const bool is_whole = before == 0
                            ? first + thread_items <= items
                            : first + thread_items + width <= items && begin + first >= width;
  if (is_whole) {
    T loaded[(vectors + 1) * width]{};
    const auto* const from = reinterpret_cast<const Vector*>(own - before);
#pragma unroll
    for (int v = 0; v <= vectors; ++v) {
      if (v == vectors && before == 0) break;
      const Vector read = from[v];
      loaded[v * width] = read.x;
      loaded[v * width + 1] = read.y;
      if constexpr (is_float) {
        loaded[v * width + 2] = read.z;
        loaded[v * width + 3] = read.w;
      }
    }
#pragma unroll
    for (int shift = 0; shift < width; ++shift) {
      if (before != shift) continue;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) to[k] = loaded[k + shift];
    }
  } else {
#pragma unroll
    for (int k = 0; k < thread_items; ++k) to[k] = first + k < items ? own[k] : T{0};
  }
  const auto bits_of = [](T weight) {
    Bits bits;
    memcpy(&bits, &weight, sizeof bits);
    return bits;
  };
  Bits largest = 0;
#pragma unroll
  for (int k = 0; k < thread_items; ++k) largest = max(largest, bits_of(to[k]));
  // Bits of valid weights other than -0 are ordered like the weights; all others are larger.
  if (largest > bits_of(max_weight)) {
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (to[k] >= 0 && to[k] <= max_weight) continue;
      report(begin + first + k);
      to[k] = 0;
    }
  }
}

/// The items of a part that its own merge leaves over: heavy ones that end beyond its deficits, or
/// light ones that begin at or after the end of its excesses.
struct PartRemainder {
  bool is_heavy;
  Index first;  ///< in its list
  Index count;
  Index cut;          ///< 1 if the last heavy item is left over as the first light one
  std::uint64_t sum;  ///< the lesser one of all deficits and all excesses
};

/// Up to `block_items` items, `thread_items` neighbours for each thread. Those of all warps that
/// have an item are complete: the items after the last one are a segment of equal weights, whose
/// rows are not written. All threads of the block call each function, in the order in which they
/// are declared.
template <class T>
class SegmentBlock {
 public:
  /// `begin` is the number of the first of the `items` items among all; there is one.
  __device__ SegmentBlock(SegmentStorage& storage, Index begin, Index items)
      : storage_(storage),
        begin_(begin),
        items_(items),
        complete_items_((items + warp_items - 1) / warp_items * warp_items),
        is_active_(threadIdx.x / 32 * warp_items < items) {
    // Of a number that it knows before a loop over blocks of items, the compiler would derive all
    // addresses before that loop, too, and keep them in memory.
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(first_));
    first_ *= thread_items;
  }

  /// `load_weights`. The storage is no longer read.
  template <class Report>
  __device__ void load(const T* weights, const Report& report) {
    static_assert(block_items / 32 < block_threads);
    if (threadIdx.x < block_items / 32) {
      storage_.heads[threadIdx.x] = 0;
      storage_.without[threadIdx.x] = 0;
    } else {
      storage_.has_any_without = false;
    }
    load_weights(weight_, weights, begin_, items_, report);
    __syncthreads();
  }

  /// Step 1 of segment_masses.hpp. Returns the sum of the v of all items, modulo 2^64.
  template <class BeginOf>
  __device__ std::uint64_t sum_weights(const BlockSegments<BeginOf>& segments) {
    segments.for_each([&](Index /*s*/, Index begin, Index /*end*/) { mark_head(begin); });
    if (threadIdx.x == 0 && items_ < complete_items_) mark_head(items_);
    __syncthreads();
    if (is_active_) {
      find_heads();
      find_exponents(segments.count == 1 && items_ == complete_items_);
    }
    __syncthreads();
    std::uint64_t sum = 0;
    if (is_active_) {
      int exponent = storage_.exponents[padded(head_)];
      IntegerWeight<T> integer(part_shift(exponent));
      // Items of a segment without weight count as if their weights were equal.
      Index added = exponent == no_exponent ? 1 : 0;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        if (is_head(k)) {
          storage_.bases[padded(first() + k)] = sum;
          if (k > 0) {
            exponent = storage_.exponents[padded(first() + k)];
            integer = IntegerWeight<T>(part_shift(exponent));
            added = exponent == no_exponent ? 1 : 0;
          }
        }
        sum += integer.floor(weight_[k]) + added;
        number_[k] = sum;
      }
    }
    const BlockSum<WordSum> sums = WordScan::exclusive(storage_.v_scan, WordSum{sum});
    before_ = sums.before.value;
    storage_.before[threadIdx.x] = before_;
    if (threadIdx.x == 0) {
      storage_.before[block_threads] = sums.all.value;
      if (items_ == complete_items_) storage_.bases[padded(items_)] = 0;  // no item begins there
    }
    return sums.all.value - (complete_items_ - items_);
  }
  /// The same for a part, whose e is known.
  __device__ void sum_weights_of_part(int shift) {
    std::uint64_t sum = 0;
    if (is_active_) {
      const IntegerWeight<T> integer(shift);
#pragma unroll
      for (int k = 0; k < thread_items; ++k) number_[k] = sum += integer.floor(weight_[k]);
    }
    before_ = WordScan::exclusive(storage_.v_scan, WordSum{sum}).before.value;
  }

  /// Step 3 for whole segments. Calls `report(s)` for each segment without weight, whose items get
  /// 2^32 each.
  template <class BeginOf, class Report>
  __device__ void find_masses(const BlockSegments<BeginOf>& segments, const Report& report) {
    find_prefix_masses(segments, report);
    if (!is_active_) return;
    PrefixMass prefix_mass = storage_.prefix_mass[padded(head_)];
    std::uint64_t base = base_of(head_) - before_;  // of the segment, as `number_`
    std::uint64_t prefix = prefix_mass(0 - base);
    balance_ = (std::uint64_t{first() - head_} << 32) - prefix;
    std::uint64_t last = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (k > 0 && is_head(k)) {
        prefix_mass = storage_.prefix_mass[padded(first() + k)];
        base = last;
        prefix = 0;
      }
      last = number_[k];
      const std::uint64_t inclusive = prefix_mass(last - base);
      number_[k] = fixed_bucket - (inclusive - prefix);
      prefix = inclusive;
    }
  }
  /// Whether a part has a mass like this that its sums fit in keys, and that step 3 needs no
  /// minimum.
  [[nodiscard]] static __device__ bool is_ordinary(std::uint64_t mass) {
    return mass <= std::uint64_t{1} << 48;
  }
  /// Step 3 for a part of a segment, of mass `mass`.
  __device__ void find_masses_of_part(std::uint64_t total, std::uint64_t mass) {
    if (!is_active_) return;
    const PrefixMass prefix_mass(total, mass);
    const auto find = [&](const auto& mass_of) {
      std::uint64_t prefix = mass_of(before_);
      balance_ = (std::uint64_t{first()} << 32) - prefix;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        const std::uint64_t inclusive = mass_of(before_ + number_[k]);
        number_[k] = fixed_bucket - (inclusive - prefix);
        prefix = inclusive;
      }
    };
    if (is_ordinary(mass)) {
      find(prefix_mass);
    } else {
      find([&](std::uint64_t sum) { return prefix_mass.of_part(sum, mass); });
    }
    if (items_ == complete_items_) return;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (!has(k)) number_[k] = 0;
    }
  }

  /// After `find_masses`: makes the rows and writes them.
  __device__ void write_rows(CompactRow* rows) {
    sum_lights();
    write_keys();
    if (is_active_) {
      // The steps of the merge up to the thread's first item are those of the items before it. As
      // many of them as these are of light items, or fewer if their deficits exceed the excesses;
      // more otherwise; but those of earlier segments are the same.
      const Index lights = lights_before_.lights();
      const Index own = first() - head_;
      const bool are_fewer = static_cast<std::int64_t>(balance_) >= 0;
      make_rows(thread_items, are_fewer ? lights - min(lights, own) : lights,
                are_fewer ? lights : lights + own);
    }
    __syncthreads();
    if (storage_.has_any_without) {
      const Index without = without_weight();
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        if ((without >> k & 1) != 0) storage_.rows.set(first() + k, empty_row);
      }
      __syncthreads();
    }
    store_rows(rows);
  }

  /// After `find_masses_of_part`: what the part, of mass `mass`, leaves over.
  [[nodiscard]] __device__ PartRemainder find_remainder(std::uint64_t mass) {
    sum_lights();
    if (is_ordinary(mass)) {
      write_keys();
    } else {
      write_capped_keys();
    }
    const std::uint64_t buckets = std::uint64_t{items_} << 32;
    PartRemainder left{mass > buckets, 0, 0, 0, all_.deficits()};
    if (left.is_heavy) {
      left.first = keys_below(heavy_begin(), heavies(), left.sum << merge::key_shift | light_bit);
      left.count = heavies() - left.first;
    } else {
      left.sum -= buckets - mass;
      left.first = keys_below(0, all_.lights(), left.sum << merge::key_shift);
      const bool is_cut = heavies() > 0 && merge::sum_of(storage_.keys[left.first]) > left.sum;
      left.cut = is_cut ? 1 : 0;
      left.count = all_.lights() - (complete_items_ - items_) - left.first + left.cut;
    }
    return left;
  }
  /// Calls `f(k, sum, item)` for each item that is left over: its number among them, its sum less
  /// that of the items that are not, and its number in the part.
  template <class F>
  __device__ void for_each_left(const PartRemainder& left, const F& f) const {
    const Index begin = left.first + (left.is_heavy ? heavy_begin() : 0) - left.cut;
    for (Index k = threadIdx.x; k < left.count; k += block_threads) {
      const merge::Key key =
          storage_.keys[k < left.cut ? heavy_begin() + heavies() - 1 : begin + k];
      f(k, merge::sum_of(key) - left.sum, merge::item_of(key));
    }
  }
  /// The same for a part that is not ordinary, before `write_rows_of_part`.
  template <class F>
  __device__ void for_each_left_of_great_mass(const PartRemainder& left, const F& f) const {
    for_each_item([](Index, Index, std::uint64_t) {},
                  [&](Index item, Index h, std::uint64_t excesses) {
                    if (h >= left.first) f(h - left.first, excesses - left.sum, item);
                  });
  }
  /// Makes the rows of a part and writes them; those of the items that are left over are not valid.
  __device__ void write_rows_of_part(const PartRemainder& left, CompactRow* rows) {
    const Index steps = left.is_heavy ? all_.lights() + left.first : complete_items_;
    if (is_active_ && first() < steps) {
      make_rows(min(Index{thread_items}, steps - first()), 0, first());
    }
    __syncthreads();
    store_rows(rows);
  }

  /// Writes the prefix sums of the masses, by segment, into shared memory and returns them; 0 for
  /// segments without weight. After `find_masses`.
  [[nodiscard]] __device__ const std::uint64_t* write_prefix_masses() {
    __syncthreads();
    if (is_active_) {
      const Index without = without_weight();
      std::uint64_t prefix = (std::uint64_t{first() - head_} << 32) - balance_;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        if (k > 0 && is_head(k)) prefix = 0;
        prefix += fixed_bucket - number_[k];
        storage_.prefix_masses[first() + k] = (without >> k & 1) != 0 ? 0 : prefix;
      }
    }
    __syncthreads();
    return storage_.prefix_masses;
  }

 private:
  static constexpr Index warp_items = 32 * thread_items;
  /// `row_without_weight()` as a word.
  static constexpr std::uint64_t empty_row = std::uint64_t{no_item} << 32;
  /// The sum of the v of a segment with weight is at least this.
  static constexpr std::uint64_t least_sum = std::uint64_t{1} << 50;

  /// Sums the light items, those after the last item included.
  __device__ void sum_lights() {
    std::uint64_t deficits = 0;
    Index lights = 0;
    if (is_active_) merge::add_lights(number_, deficits, lights);
    const BlockSum<WordSum> sums =
        WordScan::exclusive(storage_.light_scan, LightSum(deficits, lights).packed());
    lights_before_ = LightSum(sums.before);
    all_ = LightSum(sums.all);
  }
  /// Calls `light(item, l, deficits)` and `heavy(item, h, excesses)` for the thread's items, those
  /// after the last one included, with their number in their list and their sum.
  template <class Light, class Heavy>
  __device__ void for_each_item(const Light& light, const Heavy& heavy) const {
    if (!is_active_) return;
    Index l = lights_before_.lights();
    Index h = first() - l;
    std::uint64_t deficits = lights_before_.deficits();
    std::uint64_t excesses = deficits - balance_;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (merge::is_light(number_[k])) {
        light(first() + k, l++, deficits);
        deficits += number_[k];
      } else {
        excesses -= number_[k];
        heavy(first() + k, h++, excesses);
      }
    }
  }
  /// Writes the keys of all items into shared memory. Their sums are less than 2^51.
  __device__ void write_keys() {
    const auto& keys = storage_.keys;
    if (is_active_) {
      const std::uint64_t deficits = lights_before_.deficits();
      const Index light = lights_before_.lights();
      merge::write_keys(keys, number_, deficits << merge::key_shift | light_bit | first(),
                        (deficits - balance_) << merge::key_shift | first(), keys.place(light),
                        keys.place(heavy_begin() + first() - light));
    }
    end_keys();
  }
  /// The same with sums that are capped.
  __device__ void write_capped_keys() {
    for_each_item(
        [&](Index item, Index l, std::uint64_t deficits) {
          storage_.keys.set(l, deficits << merge::key_shift | light_bit | item);
        },
        [&](Index item, Index h, std::uint64_t excesses) {
          storage_.keys.set(heavy_begin() + h, merge::capped(excesses) << merge::key_shift | item);
        });
    end_keys();
  }
  __device__ void end_keys() {
    if (threadIdx.x == 0) {
      storage_.keys.set(all_.lights(), all_.deficits() << merge::key_shift | light_bit);
    }
    if (threadIdx.x == 1) storage_.keys.set(heavy_begin() + heavies(), merge::no_key);
    __syncthreads();
  }
  /// How many of these keys, in order, are less than `bound`.
  [[nodiscard]] __device__ Index keys_below(Index begin, Index count, merge::Key bound) const {
    return warp_partition_point(
        0, count, [&](Index number) { return storage_.keys[begin + number] < bound; });
  }

  /// Makes the rows of `steps` items of the merge, from that on whose number is the thread's first.
  /// Of the items before it, at least `least` and at most `most` are light.
  __device__ void make_rows(Index steps, Index least, Index most) {
    const Index start = first();
    const Index light = merge::lights_of_steps(storage_.keys, heavy_begin(), start,
                                               max(start - min(start, heavies()), least),
                                               min(min(start, all_.lights()), most));
    merge::merge_steps<thread_items>(storage_.keys, storage_.rows, light,
                                     heavy_begin() + start - light, steps,
                                     [this](Index item) { return begin_ + item; });
  }
  /// Writes all rows.
  __device__ void store_rows(CompactRow* rows) const {
    auto* const to = reinterpret_cast<std::uint64_t*>(rows + begin_);
    if (begin_ % 2 == 0) {
      for (Index i = threadIdx.x; i < items_ / 2; i += block_threads) {
        reinterpret_cast<ulonglong2*>(to)[i] = storage_.rows.pair(2 * i);
      }
      if (threadIdx.x == 0 && items_ % 2 == 1) to[items_ - 1] = storage_.rows[items_ - 1];
    } else {
      for (Index i = threadIdx.x; i < items_; i += block_threads) to[i] = storage_.rows[i];
    }
  }

  [[nodiscard]] __device__ Index first() const { return first_; }
  [[nodiscard]] __device__ bool has(int k) const { return first() + k < items_; }
  [[nodiscard]] __device__ bool is_head(int k) const { return (heads_ >> k & 1) != 0; }
  [[nodiscard]] __device__ Index heavies() const { return complete_items_ - all_.lights(); }
  [[nodiscard]] __device__ Index heavy_begin() const { return all_.lights() + 1; }
  [[nodiscard]] static __device__ Index highest_bit(Index bits) {
    return static_cast<Index>(31 - __clz(static_cast<int>(bits)));
  }
  [[nodiscard]] static __device__ Index bit_of(const Index* words, Index item) {
    return words[item / 32] >> item % 32 & 1;
  }

  /// Marks an item with which a segment begins.
  __device__ void mark_head(Index item) {
    atomicOr(&storage_.heads[item / 32], Index{1} << item % 32);
    storage_.exponents[padded(item)] = no_exponent;
  }

  /// The heads among the thread's items, and the last one up to its first item. All lanes of a warp
  /// call it.
  __device__ void find_heads() {
    constexpr Index words = block_items / 32;
    static_assert(words == 64 && 32 % thread_items == 0);
    const Index lane = threadIdx.x % 32;
    const std::uint64_t high = __ballot_sync(~0U, storage_.heads[lane + 32] != 0);
    const std::uint64_t used = high << 32 | __ballot_sync(~0U, storage_.heads[lane] != 0);
    const Index word = first() / 32;
    const Index shift = first() % 32;
    const Index bits = storage_.heads[word];
    heads_ = bits >> shift & ((Index{1} << thread_items) - 1);
    const Index up_to = bits & ((Index{2} << shift) - 1);
    if (up_to != 0) {
      head_ = 32 * word + highest_bit(up_to);
    } else {  // the first item is a head
      const auto last = static_cast<Index>(bit_width(used & ((std::uint64_t{1} << word) - 1)) - 1);
      head_ = 32 * last + highest_bit(storage_.heads[last]);
    }
  }

  /// Finds the largest exponent of each segment; `is_one` says that there is one.
  __device__ void find_exponents(bool is_one) {
    Index head = head_;
    T largest = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      if (k > 0 && is_head(k)) {
        atomicMax(&storage_.exponents[padded(head)], exponent_of(largest));
        head = first() + k;
        largest = 0;
      }
      largest = max(largest, weight_[k]);
    }
    int exponent = exponent_of(largest);
    if (is_one) {
      exponent =
          static_cast<int>(warp_max(static_cast<Index>(exponent - no_exponent))) + no_exponent;
      if (threadIdx.x % 32 != 0) return;
    }
    atomicMax(&storage_.exponents[padded(head)], exponent);
  }

  /// F of each segment.
  template <class BeginOf, class Report>
  __device__ void find_prefix_masses(const BlockSegments<BeginOf>& segments, const Report& report) {
    __syncthreads();
    segments.for_each([&](Index s, Index begin, Index end) {
      const std::uint64_t sum = base_of(end) - base_of(begin);
      storage_.prefix_mass[padded(begin)] = PrefixMass(sum, std::uint64_t{end - begin} << 32);
      if (sum >= least_sum) return;
      atomicOr(&storage_.without[begin / 32], Index{1} << begin % 32);
      storage_.has_any_without = true;
      report(s);
    });
    if (threadIdx.x == 0 && items_ < complete_items_) {
      storage_.prefix_mass[padded(items_)] = PrefixMass(1, fixed_bucket);
    }
    __syncthreads();
  }

  /// The sum of the v before the first item of a segment.
  [[nodiscard]] __device__ std::uint64_t base_of(Index head) const {
    return storage_.bases[padded(head)] + storage_.before[head / thread_items];
  }

  /// A bit for each of the thread's items, set if its segment has no weight.
  [[nodiscard]] __device__ Index without_weight() const {
    Index bits = 0;
    Index is_without = bit_of(storage_.without, head_);
    for (int k = 0; k < thread_items; ++k) {
      if (is_head(k)) is_without = bit_of(storage_.without, first() + k);
      bits |= is_without << k;
    }
    return bits;
  }

  SegmentStorage& storage_;
  Index begin_;
  Index items_;
  Index complete_items_;  // with those after the last one in its warp
  bool is_active_;        // whether the warp has an item
  Index first_;           // the thread's first item
  Index heads_ = 0;       // a bit for each of the thread's items
  Index head_ = 0;        // the head of the segment of the thread's first item
  T weight_[thread_items];
  std::uint64_t number_[thread_items];  // inclusive sums of the v, then what masses lack of 2^32
  std::uint64_t before_ = 0;            // sum of the v before the thread's items
  std::uint64_t balance_ = 0;  // deficits less excesses before them, of their first segment
  LightSum lights_before_;
  LightSum all_;
};

}  // namespace wrsgpu::segments
