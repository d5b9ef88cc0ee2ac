#include "wrsgpu/detail/segments/device_segments.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"
#include "wrsgpu/detail/segments/segment_block.cuh"
#include "wrsgpu/detail/segments/segment_builder.hpp"

namespace wrsgpu::segments {
namespace {

/// A block of `build_whole_segments` makes the tables of the segments that begin among this many
/// items. Does not affect the tables; less than 2,048, so that most often all of them fit in a
/// block.
constexpr std::uint64_t stride_items = 1792;
/// Threads per block of the kernels that scan the parts of a segment.
constexpr unsigned scan_threads = 1024;

/// Copies and checks the offsets.
template <class Offsets>
__global__ void copy_offsets(const Offsets from, const DeviceSegments tables) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t s = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; s <= tables.segments;
       s += stride) {
    const std::uint64_t begin = from[s];
    tables.offsets[s] = static_cast<Index>(begin);
    if (s == tables.segments) continue;
    const std::uint64_t end = from[s + 1];
    const bool ends_well = s + 1 < tables.segments ? end <= tables.items : end == tables.items;
    if ((s == 0 && begin != 0) || begin > end || !ends_well) {
      atomicMin(&tables.status->bad_offset, s);
    } else if (begin == end && !tables.empty_ok) {
      atomicMin(&tables.status->no_weight, s);
    }
  }
}

/// The first of `count` ascending numbers that is at least `bound`; there is one. All lanes of a
/// warp call it.
[[nodiscard]] __device__ Index first_at_least(const Index* numbers, std::uint64_t count,
                                              std::uint64_t bound) {
  std::uint64_t low = 0;  // the result is in [low, low + size)
  std::uint64_t size = count;
  while (size > 1) {
    // Lane i looks at the last number of the i-th of 32 pieces.
    const std::uint64_t piece = (size + 31) / 32;
    const std::uint64_t last = min(low + (threadIdx.x % 32 + 1) * piece, low + size) - 1;
    const unsigned less = __ballot_sync(~0U, numbers[last] < bound);
    const std::uint64_t before = min(piece * static_cast<unsigned>(__popc(less)), size - 1);
    low += before;
    size = min(piece, size - before);
  }
  return static_cast<Index>(low);
}

/// The items of a part.
struct PartRange {
  Index begin;
  Index items;
};
[[nodiscard]] __device__ PartRange items_of_part(const DeviceSegments& tables, LongPart part) {
  const Index begin = tables.offsets[part.segment] + part.part * part_items;
  return {begin, min(part_items, tables.offsets[part.segment + 1] - begin)};
}
[[nodiscard]] __device__ Index slot_of(const DeviceSegments& tables, LongPart part) {
  return DeviceSegments::slot(tables.offsets[part.segment]) + part.part;
}

/// Makes the rows of the segments [first, end), which fit in a block.
template <class T>
__device__ void build_whole(SegmentStorage<T>& storage, const DeviceSegments& tables,
                            const T* weights, Index first, Index end) {
  const Index begin = tables.offsets[first];
  const Index items = tables.offsets[end] - begin;
  if (items == 0) return;
  SegmentBlock<T> block(storage, begin, items);
  block.load(weights, [&](Index item) { atomicMin(&tables.status->bad_item, item); });
  for (Index s = first + threadIdx.x; s < end; s += block_threads) {
    const Index head = tables.offsets[s] - begin;
    if (head < items) block.mark_head(head);
  }
  const std::uint64_t sum = block.sum_weights();
  block.find_masses(sum, [&](Index item) {
    if (tables.empty_ok) return;
    // The last segment that begins with the item is not empty.
    Index low = first;
    for (Index high = end; high - low > 1;) {
      const Index middle = low + (high - low) / 2;
      (tables.offsets[middle] <= item ? low : high) = middle;
    }
    atomicMin(&tables.status->no_weight, low);
  });
  block.write_rows(tables.rows);
}

/// Step 1 for a part of a segment of several parts.
template <class T>
__device__ void sum_part(SegmentStorage<T>& storage, const DeviceSegments& tables, const T* weights,
                         LongPart part) {
  const PartRange range = items_of_part(tables, part);
  SegmentBlock<T> block(storage, range.begin, range.items);
  block.load(weights, [&](Index item) { atomicMin(&tables.status->bad_item, item); });
  const std::uint64_t sum = block.sum_weights();
  if (threadIdx.x != 0) return;
  tables.part_sums[slot_of(tables, part)] = part_sum(sum, block.shift());
  tables.long_parts[atomicAdd(&tables.status->long_parts, 1) + 1] = part;
  if (part.part == 0) {
    tables.long_segments[atomicAdd(&tables.status->long_segments, 1) + 1] = part.segment;
  }
}

/// Block b makes the tables of the segments that begin in its stretch of items, and sums the parts
/// of long segments that do.
template <class T>
__global__ void __launch_bounds__(block_threads, 4)
    build_whole_segments(const DeviceSegments tables, const T* weights) {
  __shared__ SegmentStorage<T> storage;
  __shared__ Index borders[2];
  if (tables.status->bad_offset != SegmentStatus::none) return;
  const std::uint64_t stretch = blockIdx.x * stride_items;
  const std::uint64_t stretch_end = min(stretch + stride_items, std::uint64_t{tables.items});
  const unsigned warp = threadIdx.x / 32;
  if (warp < 2) {
    borders[warp] =
        first_at_least(tables.offsets, tables.segments + 1, warp == 0 ? stretch : stretch_end);
  }
  __syncthreads();
  const Index first = borders[0];
  const Index end = borders[1];
  if (first > 0) {  // a part of the segment before
    const std::uint64_t begin = tables.offsets[first - 1];
    const std::uint64_t segment_end = tables.offsets[first];
    const std::uint64_t part = (stretch - begin + part_items - 1) / part_items;
    if (segment_end - begin > part_items &&
        begin + part * part_items < min(segment_end, stretch_end)) {
      sum_part(storage, tables, weights, {first - 1, static_cast<Index>(part)});
    }
  }
  if (first == end) return;
  const Index last = end - 1;
  const Index last_items = tables.offsets[end] - tables.offsets[last];
  if (tables.offsets[end] - tables.offsets[first] <= block_items) {
    return build_whole(storage, tables, weights, first, end);
  }
  if (first < last) build_whole(storage, tables, weights, first, last);
  if (last_items <= block_items) return build_whole(storage, tables, weights, last, end);
  sum_part(storage, tables, weights, {last, 0});
}

/// The parts of a long segment that a thread of `scan_threads` takes.
struct ThreadParts {
  Index begin;
  Index end;

  [[nodiscard]] static __device__ ThreadParts of(Index parts) {
    const Index each = (parts + scan_threads - 1) / scan_threads;
    return {min(threadIdx.x * each, parts), min((threadIdx.x + 1) * each, parts)};
  }
};

/// Calls `f(segment, begin, items, parts, slot)` for each long segment, by a block.
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
    const ThreadParts own = ThreadParts::of(parts);
    __syncthreads();
    if (threadIdx.x == 0) shift = no_shift;
    __syncthreads();
    int smallest = no_shift;
    for (Index part = own.begin; part < own.end; ++part) {
      if (sums[part].sum > 0) smallest = min(smallest, sums[part].shift);
    }
    smallest = warp_min(smallest);
    if (threadIdx.x % 32 == 0) atomicMin(&shift, smallest);
    __syncthreads();
    Sum sum{};
    for (Index part = own.begin; part < own.end; ++part) {
      sum.add(static_cast<std::uint64_t>(common_tile_sum(sums[part], shift)));
    }
    const BlockSum<Sum> all = Scan::exclusive(storage, sum);
    const WideSum total = all.all.sum();
    if (total == 0) {
      if (threadIdx.x == 0 && !tables.empty_ok) atomicMin(&tables.status->no_weight, segment);
      for (Index part = own.begin; part < own.end; ++part) {
        tables.masses[slot + part] = DeviceSegments::without_weight;
      }
      return;
    }
    const CommonUnit unit(total, items);
    WideSum prefix = all.before.sum();
    std::uint64_t before = unit.prefix_mass(prefix);
    for (Index part = own.begin; part < own.end; ++part) {
      prefix += common_tile_sum(sums[part], shift);
      const std::uint64_t inclusive = unit.prefix_mass(prefix);
      tables.masses[slot + part] = inclusive - before;
      before = inclusive;
    }
  });
}

/// Calls `f(part)` for each part of a long segment, by a block.
template <class F>
__device__ void for_each_long_part(const DeviceSegments& tables, const F& f) {
  const Index count = tables.status->long_parts + 1;
  for (Index i = blockIdx.x; i < count; i += gridDim.x) f(tables.long_parts[i]);
}

/// Sums the light and the heavy items of each part, or writes them to the lists.
template <class T, bool writes>
__global__ void __launch_bounds__(block_threads, 4)
    list_items_of_parts(const DeviceSegments tables, const T* weights) {
  __shared__ SegmentStorage<T> storage;
  for_each_long_part(tables, [&](LongPart part) {
    const PartRange range = items_of_part(tables, part);
    const Index slot = slot_of(tables, part);
    const std::uint64_t mass = tables.masses[slot];
    if (mass == DeviceSegments::without_weight) {
      for (Index i = threadIdx.x; writes && i < range.items; i += block_threads) {
        tables.rows[range.begin + i] = row_without_weight();
      }
      return;
    }
    SegmentBlock<T> block(storage, range.begin, range.items);
    block.load(weights, [](Index) {});
    const std::uint64_t sum = block.sum_weights();
    block.find_masses_of_part(sum, mass);
    const LightSum all = block.sum_lights();
    if constexpr (!writes) {
      if (threadIdx.x != 0) return;
      const std::uint64_t capacity = std::uint64_t{range.items} << 32;
      tables.list_sums[slot] = {all.deficits(), all.deficits() - (capacity - mass), all.lights(),
                                range.items - all.lights()};
    } else {
      const ListSums before = tables.list_sums[slot];
      const Index lights = tables.offsets[part.segment] + before.lights;
      const Index heavies = tables.offsets[part.segment + 1] - 1 - before.heavies;
      block.for_each_item(
          [&](Index item, Index l, std::uint64_t deficits) {
            tables.sums[lights + l] = before.deficits + deficits;
            tables.list_items[lights + l] = range.begin + item;
          },
          [&](Index item, Index h, std::uint64_t excesses) {
            tables.sums[heavies - h] = before.excesses + excesses;
            tables.list_items[heavies - h] = range.begin + item;
          });
    }
  });
}

/// `ListSums` for `BlockScan`.
struct ScannedSums : ListSums {
  [[nodiscard]] __device__ friend ScannedSums operator+(const ScannedSums& a,
                                                        const ScannedSums& b) {
    return {{a.deficits + b.deficits, a.excesses + b.excesses, a.lights + b.lights,
             a.heavies + b.heavies}};
  }
  template <class Shuffle>
  [[nodiscard]] __device__ ScannedSums shuffled(const Shuffle& shuffle) const {
    return {{shuffle(deficits), shuffle(excesses), shuffle(lights), shuffle(heavies)}};
  }
};

/// Replaces the sums of each part by those of the items of its segment before it.
__global__ void __launch_bounds__(scan_threads) scan_list_sums(const DeviceSegments tables) {
  using Scan = BlockScan<ScannedSums, scan_threads>;
  __shared__ typename Scan::Storage storage;
  for_each_long_segment(tables, [&](Index /*segment*/, Index /*items*/, Index parts, Index slot) {
    if (tables.masses[slot] == DeviceSegments::without_weight) return;
    ListSums* const sums = tables.list_sums + slot;
    const ThreadParts own = ThreadParts::of(parts);
    ScannedSums sum{};
    for (Index part = own.begin; part < own.end; ++part) sum = sum + ScannedSums{sums[part]};
    __syncthreads();  // the storage may still be read
    const BlockSum<ScannedSums> all = Scan::exclusive(storage, sum);
    if (threadIdx.x == 0) tables.segment_sums[slot] = all.all;
    ScannedSums before = all.before;
    for (Index part = own.begin; part < own.end; ++part) {
      const ScannedSums inclusive = before + ScannedSums{sums[part]};
      sums[part] = before;
      before = inclusive;
    }
  });
}

/// The lists of a long segment in global memory.
struct LongLists {
  const std::uint64_t* sums;
  const Index* items;
  Index begin;
  Index end;
  ListSums all;

  [[nodiscard]] static __device__ LongLists of(const DeviceSegments& tables, Index segment) {
    const Index begin = tables.offsets[segment];
    return {tables.sums, tables.list_items, begin, tables.offsets[segment + 1],
            tables.segment_sums[DeviceSegments::slot(begin)]};
  }
  [[nodiscard]] __device__ std::uint64_t light_sum(Index l) const {
    return l < all.lights ? sums[begin + l] : all.deficits;
  }
  [[nodiscard]] __device__ std::uint64_t heavy_sum(Index h) const { return sums[end - 1 - h]; }
  [[nodiscard]] __device__ Index light_item(Index l) const { return items[begin + l]; }
  [[nodiscard]] __device__ Index heavy_item(Index h) const { return items[end - 1 - h]; }

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
  const Index count = tables.status->long_parts + 1;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const LongPart part = tables.long_parts[i];
    const Index slot = slot_of(tables, part);
    if (tables.masses[slot] == DeviceSegments::without_weight) continue;
    tables.splits[slot] = LongLists::of(tables, part.segment).lights_before(part.part * part_items);
  }
}

/// A piece of the merge of a long segment, in shared memory.
struct PieceLists {
  std::uint64_t* sums;
  Index* items;
  Index lights;   ///< without the one after the piece
  Index heavies;  ///< with the one after the piece, if there is one

  [[nodiscard]] __device__ std::uint64_t light_sum(Index l) const { return sums[l]; }
  [[nodiscard]] __device__ std::uint64_t heavy_sum(Index h) const { return sums[lights + 1 + h]; }
  [[nodiscard]] __device__ Index light_item(Index l) const { return items[l]; }
  [[nodiscard]] __device__ Index heavy_item(Index h) const { return items[lights + 1 + h]; }
};

/// Makes the rows of each piece.
__global__ void __launch_bounds__(block_threads) merge_pieces(const DeviceSegments tables) {
  __shared__ std::uint64_t sums[part_items + 2];
  __shared__ Index items[part_items + 2];
  for_each_long_part(tables, [&](LongPart part) {
    const Index slot = slot_of(tables, part);
    if (tables.masses[slot] == DeviceSegments::without_weight) return;
    const LongLists lists = LongLists::of(tables, part.segment);
    const Index step = part.part * part_items;
    const Index steps = min(part_items, lists.end - lists.begin - step);
    const bool is_last = part.part + 1 == part_count(lists.end - lists.begin);
    const Index light = tables.splits[slot];
    const Index light_end = is_last ? lists.all.lights : tables.splits[slot + 1];
    const Index heavy = step - light;
    const Index own_heavies = steps - (light_end - light);
    const bool has_next = heavy + own_heavies < lists.all.heavies;
    const PieceLists piece{sums, items, light_end - light, own_heavies + (has_next ? 1 : 0)};
    __syncthreads();  // the piece before may still be read
    for (Index l = threadIdx.x; l <= piece.lights; l += block_threads) {
      sums[l] = lists.light_sum(light + l);
      if (l < piece.lights) items[l] = lists.light_item(light + l);
    }
    for (Index h = threadIdx.x; h < piece.heavies; h += block_threads) {
      sums[piece.lights + 1 + h] = lists.heavy_sum(heavy + h);
      items[piece.lights + 1 + h] = lists.heavy_item(heavy + h);
    }
    __syncthreads();
    // Where a search would end if all items were alike.
    const float ratio =
        static_cast<float>(piece.heavies) / static_cast<float>(max(piece.lights, Index{1}));
    for (Index l = threadIdx.x; l < piece.lights; l += block_threads) {
      Index hint = min(static_cast<Index>(static_cast<float>(l) * ratio), piece.heavies);
      tables.rows[piece.light_item(l)] = light_row(piece, l, hint);
    }
    for (Index h = threadIdx.x; h < own_heavies; h += block_threads) {
      Index hint = min(static_cast<Index>(static_cast<float>(h) / ratio), piece.lights);
      tables.rows[piece.heavy_item(h)] = heavy_row(piece, h, hint);
    }
  });
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
  DeviceSegments tables{};
  tables.long_parts = arena.take<LongPart>(slots);
  tables.long_segments = arena.take<Index>(slots);
  tables.part_sums = arena.take<TileSum>(slots);
  tables.masses = arena.take<std::uint64_t>(slots);
  tables.list_sums = arena.take<ListSums>(slots);
  tables.segment_sums = arena.take<ListSums>(slots);
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
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(status_.data(), 0xFF, status_.bytes(), stream));
  segments.visit([&](const auto& offsets) {
    constexpr unsigned threads = 256;
    const unsigned blocks =
        capped_blocks_for(segments.count() + 1, threads, blocks_that_fill(threads) * 8);
    copy_offsets<<<blocks, threads, 0, stream>>>(offsets, tables);
    check_launch("copy_offsets");
  });
  if (items == 0) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    build_whole_segments<<<blocks_for(items, stride_items), block_threads, 0, stream>>>(tables,
                                                                                        w.data());
    check_launch("build_whole_segments");
    if (items <= part_items) return;
    // Their number of parts is known on the device alone.
    const unsigned part_blocks = capped_blocks_for(
        items, part_items, blocks_that_fill(list_items_of_parts<T, true>, block_threads));
    const unsigned segment_blocks =
        capped_blocks_for(items, part_items, blocks_that_fill(scan_threads));
    find_part_masses<<<segment_blocks, scan_threads, 0, stream>>>(tables);
    check_launch("find_part_masses");
    list_items_of_parts<T, false><<<part_blocks, block_threads, 0, stream>>>(tables, w.data());
    check_launch("list_items_of_parts");
    scan_list_sums<<<segment_blocks, scan_threads, 0, stream>>>(tables);
    check_launch("scan_list_sums");
    list_items_of_parts<T, true><<<part_blocks, block_threads, 0, stream>>>(tables, w.data());
    check_launch("list_items_of_parts");
    split_merges<<<capped_blocks_for(DeviceSegments::slots(items), 128, blocks_that_fill(128)), 128,
                   0, stream>>>(tables);
    check_launch("split_merges");
    merge_pieces<<<capped_blocks_for(items, part_items,
                                     blocks_that_fill(merge_pieces, block_threads)),
                   block_threads, 0, stream>>>(tables);
    check_launch("merge_pieces");
  });
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
