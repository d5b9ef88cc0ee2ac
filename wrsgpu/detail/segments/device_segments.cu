#include "wrsgpu/detail/segments/device_segments.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/spin_until.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"
#include "wrsgpu/detail/segments/segment_block.cuh"
#include "wrsgpu/detail/segments/segment_builder.hpp"

namespace wrsgpu::segments {
namespace {

/// Threads per block of the kernel that scans the parts of a segment, and parts of a thread at a
/// time.
constexpr unsigned scan_threads = 256;
constexpr Index scan_parts = 8;
/// Threads per block of the kernel that merges pieces, which waits for memory.
constexpr unsigned merge_threads = 256;
constexpr Index merge_items = part_items / merge_threads;

/// Copies and checks the offsets, and finds the borders of the stretches.
template <class Offsets>
__global__ void copy_offsets(const Offsets from, const DeviceSegments tables) {
  constexpr Index stretch_items = DeviceSegments::stretch_items;
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane;
       first < tables.segments; first += stride) {
    const std::uint64_t s = first + lane;
    // The stretches that begin after the first item of the segment and not after its end.
    Index stretch = 0;
    Index stretch_end = 0;
    Index end_item = 0;
    if (s < tables.segments) {
      const std::uint64_t begin = from[s];
      const std::uint64_t end = from[s + 1];
      tables.offsets[s + 1] = end_item = static_cast<Index>(end);
      if (s == 0) {
        tables.offsets[0] = static_cast<Index>(begin);
        if (tables.items > 0) tables.borders[0] = {0, 0};
      }
      const bool ends_well = s + 1 < tables.segments ? end <= tables.items : end == tables.items;
      if ((s == 0 && begin != 0) || begin > end || !ends_well) {
        atomicMin(&tables.status->bad_offset, s);
      } else if (begin < end) {
        stretch = static_cast<Index>(begin) / stretch_items + 1;
        stretch_end = 1 + (end == tables.items ? (tables.items - 1) / stretch_items + 1
                                               : end_item / stretch_items);
      } else if (!tables.empty_ok) {
        atomicMin(&tables.status->no_weight, s);
      }
    }
    constexpr Index many = 4;
    unsigned have_many = __ballot_sync(~0U, stretch_end > stretch + many);
    if (stretch_end <= stretch + many) {
      for (; stretch < stretch_end; ++stretch) {
        tables.borders[stretch] = {static_cast<Index>(s + 1), end_item};
      }
    }
    for (; have_many != 0; have_many &= have_many - 1) {
      const int of = __ffs(static_cast<int>(have_many)) - 1;
      const Border border{static_cast<Index>(first) + of + 1, __shfl_sync(~0U, end_item, of)};
      const Index last = __shfl_sync(~0U, stretch_end, of);
      for (Index i = __shfl_sync(~0U, stretch, of) + lane; i < last; i += 32) {
        tables.borders[i] = border;
      }
    }
  }
}

/// A part of a segment of more than one part, and its items.
struct LongPart {
  Index segment;
  Index part;
  Index slot;
  Index begin;
  Index items;

  [[nodiscard]] __device__ bool is_none() const { return items == 0; }
};

/// The items of a stretch, and the segments that begin among them.
struct Stretch {
  std::uint64_t begin;
  std::uint64_t end;
  Border first;
  Border last;  ///< after these segments

  [[nodiscard]] static __device__ Stretch of(const DeviceSegments& tables, Index number) {
    const std::uint64_t begin = std::uint64_t{number} * DeviceSegments::stretch_items;
    return {begin, min(begin + DeviceSegments::stretch_items, std::uint64_t{tables.items}),
            tables.borders[number], tables.borders[number + 1]};
  }

  /// The parts that begin in the stretch are none, one or two: `which` is 0 for one of the segment
  /// before, 1 for the first one of the last segment.
  [[nodiscard]] __device__ LongPart part(const DeviceSegments& tables, int which) const {
    constexpr LongPart none{0, 0, 0, 0, 0};
    const Border& border = which == 0 ? first : last;
    if (which == 0 ? first.item <= begin : first.segment == last.segment) return none;
    const Index segment = border.segment - 1;
    const Index segment_begin = tables.offsets[segment];
    if (border.item - segment_begin <= part_items) return none;
    const auto number =
        which == 0 ? static_cast<Index>((begin - segment_begin + part_items - 1) / part_items) : 0;
    const std::uint64_t part_begin = segment_begin + std::uint64_t{number} * part_items;
    if (part_begin >= min(std::uint64_t{border.item}, end)) return none;
    return {segment, number, DeviceSegments::slot(segment_begin) + number,
            static_cast<Index>(part_begin),
            min(part_items, border.item - static_cast<Index>(part_begin))};
  }
};

/// Calls `f(part)` for the parts that begin in a stretch.
template <class F>
__device__ void for_each_part(const DeviceSegments& tables, Index stretch, const F& f) {
  const Stretch items = Stretch::of(tables, stretch);
#pragma unroll 1
  for (int which = 0; which < 2; ++which) {
    const LongPart part = items.part(tables, which);
    if (!part.is_none()) f(part);
  }
}

/// Makes the rows of the segments [first, end), of which there is one, and which fit in a block.
template <class T>
__device__ void build_whole(SegmentStorage& storage, const DeviceSegments& tables, const T* weights,
                            Index first, Index end, Index begin, Index items) {
  const auto begin_of = [offsets = tables.offsets + first, begin](Index s) {
    return offsets[s] - begin;
  };
  const BlockSegments segments{end - first, begin_of};
  SegmentBlock<T> block(storage, begin, items);
  block.load(weights, [&](Index item) { atomicMin(&tables.status->bad_item, item); });
  static_cast<void>(block.sum_weights(segments));
  block.find_masses(segments, [&](Index s) {
    if (!tables.empty_ok) atomicMin(&tables.status->no_weight, first + s);
  });
  block.write_rows(tables.rows);
}

/// All items of a part.
[[nodiscard]] __device__ auto segment_of_part(const LongPart& part) {
  return BlockSegments{1, [items = part.items](Index s) { return s * items; }};
}

/// Step 1 for a part of a segment of several parts.
template <class T>
__device__ void sum_part(SegmentStorage& storage, const DeviceSegments& tables, const T* weights,
                         const LongPart& part) {
  SegmentBlock<T> block(storage, part.begin, part.items);
  block.load(weights, [&](Index item) { atomicMin(&tables.status->bad_item, item); });
  const std::uint64_t sum = block.sum_weights(segment_of_part(part));
  if (threadIdx.x != 0) return;
  const int exponent = block.exponent();
  tables.part_sums[part.slot] = part_sum(exponent == no_exponent ? 0 : sum, part_shift(exponent));
  tables.known_sums[part.slot] = DeviceSegments::no_sums;
  if (part.part == 0) {
    tables.long_segments[atomicAdd(&tables.status->long_segments, 1) + 1] = part.segment;
  }
}

/// Block b makes the tables of the segments that begin in stretch b, and sums the parts of long
/// segments that do.
template <class T>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    build_whole_segments(const DeviceSegments tables, const T* weights) {
  __shared__ SegmentStorage storage;
  if (tables.status->bad_offset != SegmentStatus::none) return;
  const Stretch stretch = Stretch::of(tables, blockIdx.x);
  Index first = stretch.first.segment;
  Index begin = stretch.first.item;
  Index end = stretch.last.segment;
  Index items = stretch.last.item - begin;
  // If they do not fit in a block, the last one comes by itself.
  Index later_items = 0;
  if (items > block_items) {
    const Index last_begin = tables.offsets[end - 1];
    later_items = stretch.last.item - last_begin;
    items = last_begin - begin;
    --end;
  }
#pragma unroll 1
  while (true) {
    if (items > 0) build_whole(storage, tables, weights, first, end, begin, items);
    if (later_items == 0 || later_items > block_items) break;
    first = end++;
    begin += items;
    items = later_items;
    later_items = 0;
  }
#pragma unroll 1
  for (int which = 0; which < 2; ++which) {
    const LongPart part = stretch.part(tables, which);
    if (!part.is_none()) sum_part(storage, tables, weights, part);
  }
}

/// Calls `f(segment, items, parts, slot)` for each long segment, by a block.
template <class F>
__device__ void for_each_long_segment(const DeviceSegments& tables, const F& f) {
  const Index count = tables.status->long_segments + 1;
  for (Index i = blockIdx.x; i < count; i += gridDim.x) {
    const Index segment = tables.long_segments[i];
    const Index begin = tables.offsets[segment];
    const Index items = tables.offsets[segment + 1] - begin;
    f(segment, items, part_count(items), DeviceSegments::slot(begin));
  }
}

/// Step 2 of segment_masses.hpp.
__global__ void __launch_bounds__(scan_threads) find_part_masses(const DeviceSegments tables) {
  using Sum = TwoWords<std::uint64_t>;
  using Scan = BlockScan<Sum, scan_threads>;
  __shared__ typename Scan::Storage storage;
  __shared__ int shift;
  for_each_long_segment(tables, [&](Index segment, Index items, Index parts, Index slot) {
    constexpr int no_shift = 1 << 30;
    const TileSum* const sums = tables.part_sums + slot;
    __syncthreads();
    if (threadIdx.x == 0) shift = no_shift;
    __syncthreads();
    int smallest = no_shift;
#pragma unroll 4
    for (Index part = threadIdx.x; part < parts; part += scan_threads) {
      if (sums[part].sum > 0) smallest = min(smallest, sums[part].shift);
    }
    smallest = warp_min(smallest);
    if (threadIdx.x % 32 == 0) atomicMin(&shift, smallest);
    __syncthreads();
    Sum own{};
#pragma unroll 4
    for (Index part = threadIdx.x; part < parts; part += scan_threads) {
      own.add(static_cast<std::uint64_t>(common_tile_sum(sums[part], shift)));
    }
    const WideSum total = Scan::exclusive(storage, own).all.sum();
    if (total == 0) {
      if (threadIdx.x == 0 && !tables.empty_ok) atomicMin(&tables.status->no_weight, segment);
      for (Index part = threadIdx.x; part < parts; part += scan_threads) {
        tables.masses[slot + part] = DeviceSegments::without_weight;
        if (tables.prefix_masses != nullptr) tables.prefix_masses[slot + part] = 0;
      }
      return;
    }
    const CommonUnit unit(total, items);
    WideSum done = 0;
    for (Index begin = 0; begin < parts; begin += scan_threads * scan_parts) {
      const Index first = begin + threadIdx.x * scan_parts;
      std::uint64_t term[scan_parts];
      own = {};
#pragma unroll
      for (Index k = 0; k < scan_parts; ++k) {
        term[k] = first + k < parts
                      ? static_cast<std::uint64_t>(common_tile_sum(sums[first + k], shift))
                      : 0;
        own.add(term[k]);
      }
      __syncthreads();  // the storage may still be read
      const BlockSum<Sum> all = Scan::exclusive(storage, own);
      WideSum prefix = done + all.before.sum();
      std::uint64_t before = unit.prefix_mass(prefix);
#pragma unroll
      for (Index k = 0; k < scan_parts; ++k) {
        prefix += term[k];
        const std::uint64_t inclusive = unit.prefix_mass(prefix);
        if (first + k < parts) {
          tables.masses[slot + first + k] = inclusive - before;
          if (tables.prefix_masses != nullptr) tables.prefix_masses[slot + first + k] = inclusive;
        }
        before = inclusive;
      }
      done += all.all.sum();
    }
  });
}

/// Whether no segment is long.
[[nodiscard]] __device__ bool has_no_long_segment(const DeviceSegments& tables) {
  return tables.status->long_segments + 1 == 0;
}

/// `ListSums` of a warp.
[[nodiscard]] __device__ ListSums warp_sum_of(const ListSums& sums) {
  return {warp_sum(sums.deficits), warp_sum(sums.excesses), warp_sum(sums.lights),
          warp_sum(sums.heavies)};
}
[[nodiscard]] __device__ ListSums operator+(const ListSums& a, const ListSums& b) {
  return {a.deficits + b.deficits, a.excesses + b.excesses, a.lights + b.lights,
          a.heavies + b.heavies};
}

/// Shared memory of `sums_before`: what each warp has found.
struct LookBack {
  ListSums sums[block_threads / 32];
  bool has_prefix[block_threads / 32];
};

/// The sums of the items of a segment before a part, by a block; looks back at the parts before it,
/// which are being listed or have been (Merrill and Garland, 2016).
[[nodiscard]] __device__ ListSums sums_before(LookBack& storage, const DeviceSegments& tables,
                                              const LongPart& part) {
  const Index lane = threadIdx.x % 32;
  ListSums sums{};
  bool is_complete = part.part == 0;
  for (Index left = part.part; !is_complete; left -= block_threads) {
    ListSums of_lane{};
    Index known = DeviceSegments::prefix;
    if (threadIdx.x < left) {
      const Index slot = part.slot - part.part + left - 1 - threadIdx.x;
      known = spin_until(tables.known_sums[slot],
                         [](Index state) { return state != DeviceSegments::no_sums; });
      of_lane = known == DeviceSegments::own ? tables.own_sums[slot] : tables.prefix_sums[slot];
    }
    __syncwarp();
    const unsigned prefixes = __ballot_sync(~0U, known == DeviceSegments::prefix);
    const auto last =
        static_cast<Index>(prefixes == 0 ? 32 : __ffs(static_cast<int>(prefixes)) - 1);
    const ListSums of_warp = warp_sum_of(lane <= last ? of_lane : ListSums{});
    __syncthreads();  // the storage may still be read
    if (lane == 0) {
      storage.sums[threadIdx.x / 32] = of_warp;
      storage.has_prefix[threadIdx.x / 32] = prefixes != 0;
    }
    __syncthreads();
    for (unsigned warp = 0; warp < block_threads / 32 && !is_complete; ++warp) {
      sums = sums + storage.sums[warp];
      is_complete = storage.has_prefix[warp];
    }
  }
  return sums;
}

/// Publishes sums of a part.
__device__ void publish(const DeviceSegments& tables, Index slot, ListSums* to,
                        const ListSums& sums, Index known) {
  to[slot] = sums;
  cuda::atomic_ref<Index, cuda::thread_scope_device>(tables.known_sums[slot])
      .store(known, cuda::memory_order_release);
}

/// Lists the light and the heavy items of each part of a long segment. Blocks take stretches in
/// order, so that every part that one waits for is being listed.
template <class T>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    list_items_of_parts(const DeviceSegments tables, const T* weights) {
  __shared__ SegmentStorage storage;
  __shared__ LookBack look_back;
  __shared__ Index taken;
  if (has_no_long_segment(tables)) return;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) taken = atomicAdd(&tables.status->taken, 1) + 1;
    __syncthreads();
    if (taken >= DeviceSegments::stretches(tables.items)) return;
    for_each_part(tables, taken, [&](const LongPart& part) {
      const std::uint64_t mass = tables.masses[part.slot];
      if (mass == DeviceSegments::without_weight) {
        for (Index i = threadIdx.x; i < part.items; i += block_threads) {
          tables.rows[part.begin + i] = row_without_weight();
        }
        return;
      }
      SegmentBlock<T> block(storage, part.begin, part.items);
      block.load(weights, [](Index) {});
      const std::uint64_t sum = block.sum_weights(segment_of_part(part));
      block.find_masses_of_part(sum, mass);
      const LightSum all = block.sum_lights();
      const Index lights = all.lights() - block.added_lights();
      const ListSums own{all.deficits(),
                         all.deficits() - ((std::uint64_t{part.items} << 32) - mass), lights,
                         part.items - lights};
      if (threadIdx.x == 0) {
        publish(tables, part.slot, tables.own_sums, own, DeviceSegments::own);
      }
      constexpr std::uint64_t most_in_keys = std::uint64_t{1} << 50;
      const bool has_keys = mass <= most_in_keys;
      if (has_keys) block.write_keys();
      const ListSums before = sums_before(look_back, tables, part);
      if (threadIdx.x == 0) {
        publish(tables, part.slot, tables.prefix_sums, before + own, DeviceSegments::prefix);
      }
      const Index begin = tables.offsets[part.segment];
      const Index last = tables.offsets[part.segment + 1] - 1;
      if (!has_keys) {
        block.for_each_item(
            [&](Index item, Index l, std::uint64_t deficits) {
              tables.sums[begin + before.lights + l] = before.deficits + deficits;
              tables.list_items[begin + before.lights + l] = part.begin + item;
            },
            [&](Index item, Index h, std::uint64_t excesses) {
              tables.sums[last - before.heavies - h] = before.excesses + excesses;
              tables.list_items[last - before.heavies - h] = part.begin + item;
            });
        return;
      }
      for (Index i = threadIdx.x; i < part.items; i += block_threads) {
        const bool is_light = i < lights;
        const merge::Key key = storage.keys[is_light ? i : i + block.added_lights() + 1];
        const Index to =
            is_light ? begin + before.lights + i : last - before.heavies - (i - lights);
        tables.sums[to] = (is_light ? before.deficits : before.excesses) + merge::sum_of(key);
        tables.list_items[to] = part.begin + merge::item_of(key);
      }
    });
  }
}

/// The lists of a long segment in global memory.
struct LongLists {
  const std::uint64_t* sums;
  const Index* items;
  Index begin;
  Index end;
  ListSums all;

  [[nodiscard]] static __device__ LongLists of(const DeviceSegments& tables, const LongPart& part) {
    const Index begin = tables.offsets[part.segment];
    const Index end = tables.offsets[part.segment + 1];
    const Index last_slot = part.slot - part.part + part_count(end - begin) - 1;
    return {tables.sums, tables.list_items, begin, end, tables.prefix_sums[last_slot]};
  }
  [[nodiscard]] __device__ std::uint64_t light_sum(Index l) const {
    return l < all.lights ? sums[begin + l] : all.deficits;
  }
  [[nodiscard]] __device__ std::uint64_t heavy_sum(Index h) const { return sums[end - 1 - h]; }

  /// Number of light items among the first `steps` items of the merge (merge path search).
  [[nodiscard]] __device__ Index lights_before(Index steps) const {
    Index low = steps > all.heavies ? steps - all.heavies : 0;
    Index high = min(steps, all.lights);
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (heavy_sum(steps - 1 - middle) > light_sum(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Cuts the merge of each long segment into pieces of 2,048 items; a thread for each.
__global__ void split_merges(const DeviceSegments tables) {
  if (has_no_long_segment(tables)) return;
  const auto stretches = static_cast<Index>(DeviceSegments::stretches(tables.items));
  for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < stretches;
       i += gridDim.x * blockDim.x) {
    for_each_part(tables, i, [&](const LongPart& part) {
      if (tables.masses[part.slot] == DeviceSegments::without_weight) return;
      tables.splits[part.slot] = LongLists::of(tables, part).lights_before(part.part * part_items);
    });
  }
}

/// Makes the rows of each piece.
__global__ void __launch_bounds__(merge_threads, at_most_resident(5, merge_threads))
    merge_pieces(const DeviceSegments tables) {
  constexpr Index capacity = part_items + 2;
  __shared__ merge::Swizzled<capacity> keys;
  __shared__ merge::Swizzled<capacity> rows;
  __shared__ Index items[capacity];
  if (has_no_long_segment(tables)) return;
  const auto stretches = static_cast<Index>(DeviceSegments::stretches(tables.items));
  for (Index stretch = blockIdx.x; stretch < stretches; stretch += gridDim.x) {
    for_each_part(tables, stretch, [&](const LongPart& part) {
      if (tables.masses[part.slot] == DeviceSegments::without_weight) return;
      const LongLists lists = LongLists::of(tables, part);
      const bool is_last = part.part + 1 == part_count(lists.end - lists.begin);
      const Index light = tables.splits[part.slot];
      const Index lights = (is_last ? lists.all.lights : tables.splits[part.slot + 1]) - light;
      const Index heavy = part.part * part_items - light;
      const Index heavies = part.items - lights;
      // The lists continue with the item after the piece. Keys are numbers in `items`.
      const auto is_there = [&](Index number) {
        return number <= lights
                   ? light + number < lists.all.lights
                   : number < part.items + 2 && heavy + number - lights - 1 < lists.all.heavies;
      };
      // Loaded before any is used.
      constexpr Index turns = (capacity + merge_threads - 1) / merge_threads;
      std::uint64_t sum[turns];
      Index item[turns];
#pragma unroll
      for (Index k = 0; k < turns; ++k) {
        const Index number = k * merge_threads + threadIdx.x;
        const Index place = number <= lights ? lists.begin + light + number
                                             : lists.end - 1 - (heavy + number - lights - 1);
        sum[k] = is_there(number) ? lists.sums[place] : lists.all.deficits;
        item[k] = is_there(number) ? lists.items[place] : 0;
      }
      // The sum of a light item exceeds that of another of the piece by little more than 2^43, and
      // so does that of a heavy item that ends in it.
      const std::uint64_t first_light = lists.light_sum(light);
      const std::uint64_t base =
          heavy < lists.all.heavies ? min(first_light, lists.heavy_sum(heavy)) : first_light;
      __syncthreads();  // the piece before may still be read
#pragma unroll
      for (Index k = 0; k < turns; ++k) {
        const Index number = k * merge_threads + threadIdx.x;
        if (number >= part.items + 2) break;
        const merge::Key key = merge::capped(sum[k] - base) << merge::key_shift | number;
        keys.set(number, number <= lights   ? key | light_bit
                         : is_there(number) ? key
                                            : merge::no_key);
        items[number] = item[k];
      }
      __syncthreads();
      const Index start = min(threadIdx.x * merge_items, part.items);
      const Index stop = min(start + merge_items, part.items);
      const Index own = merge::lights_of_steps(
          keys, lights + 1, start, start > heavies ? start - heavies : 0, min(start, lights));
      merge::merge_steps(keys, rows, own, lights + 1 + start - own, stop - start,
                         [](Index number) { return number; });
      __syncthreads();
#pragma unroll 4
      for (Index i = threadIdx.x; i < part.items; i += merge_threads) {
        const Index number = i < lights ? i : i + 1;
        const std::uint64_t row = rows[number];
        tables.rows[items[number]] = {static_cast<Index>(row), items[row >> 32]};
      }
    });
  }
}

/// Takes the memory of `sum_segments` from `arena`.
DeviceSegments with_storage_of_sums(Index items, DeviceArena& arena) {
  const std::uint64_t slots = DeviceSegments::slots(items);
  DeviceSegments tables{};
  tables.borders = arena.take<Border>(DeviceSegments::stretches(items) + 1);
  tables.long_segments = arena.take<Index>(slots);
  tables.part_sums = arena.take<TileSum>(slots);
  tables.masses = arena.take<std::uint64_t>(slots);
  tables.known_sums = arena.take<Index>(slots);
  return tables;
}

/// Makes the rows of segments of one part, and finds the masses of the parts of the others.
void sum_segments(const DeviceSegments& tables, const SegmentsView& segments,
                  const WeightsView& weights, cudaStream_t stream) {
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(tables.status, 0xFF, sizeof *tables.status, stream));
  segments.visit([&](const auto& offsets) {
    constexpr unsigned threads = 256;
    const unsigned blocks =
        capped_blocks_for(segments.count(), threads, blocks_that_fill(threads) * 8);
    copy_offsets<<<blocks, threads, 0, stream>>>(offsets, tables);
    check_launch("copy_offsets");
  });
  if (tables.items == 0) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    build_whole_segments<<<static_cast<Index>(DeviceSegments::stretches(tables.items)),
                           block_threads, 0, stream>>>(tables, w.data());
    check_launch("build_whole_segments");
  });
  if (tables.items <= part_items) return;
  // How many segments are long is known on the device alone.
  find_part_masses<<<capped_blocks_for(tables.items, part_items, blocks_that_fill(scan_threads)),
                     scan_threads, 0, stream>>>(tables);
  check_launch("find_part_masses");
}

/// Reads an element of an array in device memory.
template <class T>
T read_element(const T* element) {
  T value;
  WRSGPU_CUDA_CHECK(cudaMemcpy(&value, element, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace

DeviceSegments DeviceSegmentTables::with_storage(Index items, DeviceArena& arena) {
  const std::uint64_t slots = DeviceSegments::slots(items);
  DeviceSegments tables = with_storage_of_sums(items, arena);
  tables.own_sums = arena.take<ListSums>(slots);
  tables.prefix_sums = arena.take<ListSums>(slots);
  tables.splits = arena.take<Index>(slots);
  tables.sums = arena.take<std::uint64_t>(items);
  tables.list_items = arena.take<Index>(items);
  return tables;
}

DeviceSegmentTables::DeviceSegmentTables(std::uint64_t segments, Index items)
    : offsets_(segments + 1), rows_(items), status_(1) {
  DeviceArena sizes;
  static_cast<void>(with_storage(items, sizes));
  storage_ = DeviceBuffer<std::byte>(sizes.used());
}

void DeviceSegmentTables::build(const SegmentsView& segments, const WeightsView& weights,
                                bool empty_ok, cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  DeviceArena arena(storage_.span());
  DeviceSegments tables = with_storage(items, arena);
  tables.segments = segments.count();
  tables.items = items;
  tables.empty_ok = empty_ok;
  tables.offsets = offsets_.data();
  tables.rows = rows_.data();
  tables.status = status_.data();
  sum_segments(tables, segments, weights, stream);
  if (items <= part_items) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto stretches = static_cast<Index>(DeviceSegments::stretches(items));
    list_items_of_parts<T>
        <<<std::min(stretches, blocks_that_fill(list_items_of_parts<T>, block_threads)),
           block_threads, 0, stream>>>(tables, w.data());
    check_launch("list_items_of_parts");
    split_merges<<<capped_blocks_for(stretches, 128, blocks_that_fill(128)), 128, 0, stream>>>(
        tables);
    check_launch("split_merges");
    merge_pieces<<<std::min(stretches, blocks_that_fill(merge_pieces, merge_threads)),
                   merge_threads, 0, stream>>>(tables);
    check_launch("merge_pieces");
  });
}

DeviceSegments find_masses_of_parts(const SegmentsView& segments, const WeightsView& weights,
                                    bool empty_ok, DeviceArena& arena, cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  DeviceSegments tables = with_storage_of_sums(items, arena);
  tables.segments = segments.count();
  tables.items = items;
  tables.empty_ok = empty_ok;
  tables.offsets = arena.take<Index>(segments.count() + 1);
  tables.status = arena.take<SegmentStatus>(1);
  tables.prefix_masses = arena.take<std::uint64_t>(DeviceSegments::slots(items));
  if (arena.has_block()) sum_segments(tables, segments, weights, stream);
  return tables;
}

void DeviceSegmentTables::finish(const SegmentsView& segments, const WeightsView& weights,
                                 cudaStream_t stream) const {
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  const SegmentStatus status = read_element(status_.data());
  constexpr unsigned long long none = SegmentStatus::none;
  if (const std::uint64_t s = status.bad_offset; s != none) {
    segments.visit([&]<class Offsets>(const Offsets& offsets) {
      if constexpr (!std::is_same_v<Offsets, detail::EqualOffsets>) {
        throw_bad_offset(s, read_element(offsets.offsets + s),
                         read_element(offsets.offsets + s + 1), weights.size());
      }
    });
  }
  const auto begin_of = [&](std::uint64_t s) { return read_element(offsets_.data() + s); };
  std::uint64_t segment = none;  // that of the invalid weight
  if (status.bad_item != none) {
    segment = 0;
    for (std::uint64_t high = segments.count(); high - segment > 1;) {
      const std::uint64_t middle = segment + (high - segment) / 2;
      (begin_of(middle) <= status.bad_item ? segment : high) = middle;
    }
  }
  if (status.no_weight < segment) {
    throw_no_weight(status.no_weight, begin_of(status.no_weight), begin_of(status.no_weight + 1));
  }
  if (segment == none) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    throw_bad_item(segment, begin_of(segment), status.bad_item,
                   static_cast<double>(read_element(w.data() + status.bad_item)),
                   std::numeric_limits<T>::max_digits10);
  });
}

}  // namespace wrsgpu::segments
