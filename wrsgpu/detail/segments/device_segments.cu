#include "wrsgpu/detail/segments/device_segments.cuh"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/core/warp_search.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"
#include "wrsgpu/detail/segments/segment_block.cuh"
#include "wrsgpu/detail/segments/segment_builder.hpp"

namespace wrsgpu::segments {
namespace {

/// Threads per block of the kernel that merges pieces, which waits for memory.
constexpr unsigned merge_threads = 256;
constexpr Index merge_items = part_items / merge_threads;

/// All kernels but the first begin so: they start while the one before ends, and let the next
/// start.
__device__ void start_after_the_one_before() {
  grid_dependency_sync();
  trigger_launch_completion();
}

/// The number of a warp, and that of all warps.
[[nodiscard]] __device__ Index warp_of_grid() {
  return (blockIdx.x * blockDim.x + threadIdx.x) / 32;
}
[[nodiscard]] __device__ Index warps_of_grid() { return gridDim.x * blockDim.x / 32; }

/// Copies and checks the offsets, and finds the borders of the chunks.
template <class Offsets>
__global__ void copy_offsets(const Offsets from, const DeviceSegments tables) {
  trigger_launch_completion();
  const Index digits = tables.chunk_digits;
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane;
       first < tables.segments; first += stride) {
    const std::uint64_t s = first + lane;
    // The chunks that begin after the first item of the segment and not after its end.
    Index chunk = 0;
    Index chunk_end = 0;
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
        chunk = (static_cast<Index>(begin) >> digits) + 1;
        chunk_end = 1 + (end == tables.items ? tables.chunks() : end_item >> digits);
      } else if (!tables.empty_ok) {
        atomicMin(&tables.status->no_weight, s);
      }
    }
    constexpr Index many = 4;
    unsigned have_many = __ballot_sync(~0U, chunk_end > chunk + many);
    if (chunk_end <= chunk + many) {
      for (; chunk < chunk_end; ++chunk) {
        tables.borders[chunk] = {static_cast<Index>(s + 1), end_item};
      }
    }
    for (; have_many != 0; have_many &= have_many - 1) {
      const int of = __ffs(static_cast<int>(have_many)) - 1;
      const Border border{static_cast<Index>(first) + of + 1, __shfl_sync(~0U, end_item, of)};
      const Index last = __shfl_sync(~0U, chunk_end, of);
      for (Index i = __shfl_sync(~0U, chunk, of) + lane; i < last; i += 32) {
        tables.borders[i] = border;
      }
    }
  }
}

/// Lists the rows of a matrix, which all have more than one part, and their parts.
__global__ void list_rows(const DeviceSegments tables, Index columns) {
  trigger_launch_completion();
  const Index of_row = part_count(columns);
  const auto rows = static_cast<Index>(tables.segments);
  const bool are_short = of_row <= tables.few_parts;
  const Index begin = blockIdx.x * blockDim.x + threadIdx.x;
  if (begin == 0) {
    (are_short ? tables.status->shorter : tables.status->longer) = rows - 1;
    tables.status->parts = rows * of_row - 1;
  }
  for (Index i = begin; i < rows * of_row; i += gridDim.x * blockDim.x) {
    const Index row = i / of_row;
    const Index done = i % of_row * part_items;
    tables.parts[i] = {row * columns + done, min(part_items, columns - done)};
    if (done == 0)
      tables.long_segments[are_short ? row : tables.slots - 1 - row] = {row, columns, i};
  }
}

/// A chunk's tasks and long segments, as a warp finds them: each lane has one of each.
struct ChunkLists {
  Task task;
  Index tasks;
  Task long_one;
  Index long_ones;
};

/// Lists them, the long segments with their parts; a warp for each chunk.
__device__ void append_to_lists(const DeviceSegments& tables, const ChunkLists& found) {
  const Index lane = threadIdx.x % 32;
  const Index parts = lane < found.long_ones ? part_count(found.long_one.items) : 0;
  const bool is_short = parts <= tables.few_parts;
  const unsigned shorter = __ballot_sync(~0U, parts > 0 && is_short);
  const unsigned longer = __ballot_sync(~0U, parts > 0 && !is_short);
  const Index parts_up_to = warp_inclusive_sum(parts);
  const Index all_parts = __shfl_sync(~0U, parts_up_to, 31);
  // All at once, as each waits for memory.
  SegmentStatus& status = *tables.status;
  Index first = 0;
  if (lane < 4) {
    Index* const count = lane == 0   ? &status.tasks
                         : lane == 1 ? &status.parts
                         : lane == 2 ? &status.shorter
                                     : &status.longer;
    const Index more = lane == 0   ? found.tasks
                       : lane == 1 ? all_parts
                       : lane == 2 ? __popc(shorter)
                                   : __popc(longer);
    first = atomicAdd(count, more) + 1;
  }
  const auto first_of = [&](int counter) { return __shfl_sync(~0U, first, counter); };
  const Index task = first_of(0) + lane;
  const Index first_part = first_of(1) + parts_up_to - parts;
  const unsigned before = (1U << lane) - 1;
  const Index short_one = first_of(2) + __popc(shorter & before);
  const Index other = first_of(3) + __popc(longer & before);
  if (lane < found.tasks) tables.tasks[task] = found.task;
  if (parts > 0) {
    tables.long_segments[is_short ? short_one : tables.slots - 1 - other] = {
        found.long_one.segment, found.long_one.items, first_part};
  }
  for (Index of = 0; of < found.long_ones; ++of) {
    const auto of_lane = [&](Index number) {
      return __shfl_sync(~0U, number, static_cast<int>(of));
    };
    const Index begin = of_lane(found.long_one.item);
    const Index items = of_lane(found.long_one.items);
    const Index to = of_lane(first_part);
    const Index count = part_count(items);
#pragma unroll 4
    for (Index i = lane; i < count; i += 32) {
      const Index done = i * part_items;
      tables.parts[to + i] = {begin + done, min(part_items, items - done)};
    }
  }
}

/// Cuts the segments that begin in each chunk into tasks, one after the other, of as many as fit in
/// a block, and lists these and the long ones. A warp for each chunk.
__global__ void list_tasks(const DeviceSegments tables) {
  start_after_the_one_before();
  if (tables.status->bad_offset != SegmentStatus::none) return;
  const Index lane = threadIdx.x % 32;
  for (Index chunk = warp_of_grid(); chunk < tables.chunks(); chunk += warps_of_grid()) {
    Task next{tables.borders[chunk].segment, 0, tables.borders[chunk].item, 0};
    const Index stop = tables.borders[chunk + 1].segment;
    while (next.segment < stop) {
      ChunkLists found{};
      while (next.segment < stop && found.tasks < 32) {
        const std::uint64_t limit = std::uint64_t{next.item} + block_items;
        Index end = warp_partition_point(next.segment + 1, stop + 1,
                                         [&](Index s) { return tables.offsets[s] <= limit; }) -
                    1;
        const bool is_long = end == next.segment;
        if (is_long) ++end;
        const Index end_item = tables.offsets[end];
        next.segments = end - next.segment;
        next.items = end_item - next.item;
        if (is_long) {
          if (lane == found.long_ones) found.long_one = next;
          ++found.long_ones;
        } else if (next.items > 0) {
          if (lane == found.tasks) found.task = next;
          ++found.tasks;
        }
        next = {end, 0, end_item, 0};
      }
      append_to_lists(tables, found);
    }
  }
}

/// Step 1 for the parts of long segments.
template <class T>
__global__ void __launch_bounds__(block_threads, at_most_resident(10, block_threads))
    sum_parts(const DeviceSegments tables, const T* weights) {
  start_after_the_one_before();
  constexpr unsigned warps = block_threads / 32;
  __shared__ int exponents[warps];
  __shared__ std::uint64_t sums[warps];
  const Index parts = tables.status->parts + 1;
  const unsigned warp = threadIdx.x / 32;
  const bool is_first = threadIdx.x % 32 == 0;
  for (Index number = blockIdx.x; number < parts; number += gridDim.x) {
    const PartItems part = tables.parts[number];
    T weight[thread_items];
    load_weights(weight, weights, part.begin, part.items,
                 [&](Index item) { atomicMin(&tables.status->bad_item, item); });
    T largest = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) largest = max(largest, weight[k]);
    const auto above = static_cast<Index>(exponent_of(largest) - no_exponent);
    const int of_warp = static_cast<int>(warp_max(above)) + no_exponent;
    if (is_first) exponents[warp] = of_warp;
    __syncthreads();
    int exponent = exponents[0];
#pragma unroll
    for (unsigned w = 1; w < warps; ++w) exponent = max(exponent, exponents[w]);
    const int shift = part_shift(exponent);
    const IntegerWeight<T> integer(shift);
    std::uint64_t sum = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) sum += integer.floor(weight[k]);
    sum = warp_sum(sum);
    if (is_first) sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x != 0) continue;
#pragma unroll
    for (unsigned w = 1; w < warps; ++w) sum += sums[w];
    tables.part_sums[number] = {sum, shift};
    if (tables.prefix_masses != nullptr) continue;  // there will be no rows
    for (KnownSum* const known : tables.known_sums) known[number].known = KnownSum::none;
  }
}

/// Step 2 of segment_masses.hpp, for the segments of few parts or for the others. So many blocks
/// share a segment: each sums all parts, and finds the masses of some.
template <unsigned scan_threads, bool few_parts, Index sharing>
__global__ void __launch_bounds__(scan_threads) find_part_masses(const DeviceSegments tables) {
  // That for the others runs at the same time as that for few parts, which has waited for the sums.
  if constexpr (few_parts) grid_dependency_sync();
  trigger_launch_completion();
  using Sum = TwoWords<std::uint64_t>;
  using Scan = BlockScan<Sum, scan_threads>;
  constexpr int no_shift = 1 << 30;
  __shared__ typename Scan::Storage storage;
  __shared__ int shift;
  const Index count = (few_parts ? tables.status->shorter : tables.status->longer) + 1;
  for (Index i = blockIdx.x; i < count * sharing; i += gridDim.x) {
    const Index number = i / sharing;
    const auto [segment, items, first_part] =
        tables.long_segments[few_parts ? number : tables.slots - 1 - number];
    const Index parts = part_count(items);
    constexpr Index in_turn = sharing * scan_threads;
    const Index share = (parts + in_turn - 1) / in_turn * scan_threads;
    const Index share_begin = min(i % sharing * share, parts);
    const Index share_end = min(share_begin + share, parts);
    if (share_begin == share_end) continue;
    std::uint64_t* const masses = tables.masses + first_part;
    std::uint64_t* const prefixes =
        tables.prefix_masses == nullptr ? nullptr : tables.prefix_masses + first_part;
    const auto sum_of = [sums = tables.part_sums + first_part](Index part) {
      return part_sum(sums[part].sum, sums[part].shift);
    };
    __syncthreads();
    if (threadIdx.x == 0) shift = no_shift;
    __syncthreads();
    int smallest = no_shift;
#pragma unroll 8
    for (Index part = threadIdx.x; part < parts; part += scan_threads) {
      const TileSum sum = sum_of(part);
      if (sum.sum > 0) smallest = min(smallest, sum.shift);
    }
    smallest = warp_min(smallest);
    if (threadIdx.x % 32 == 0) atomicMin(&shift, smallest);
    __syncthreads();
    const auto term_of = [&](Index part) {
      return static_cast<std::uint64_t>(common_tile_sum(sum_of(part), shift));
    };
    Sum own{};
    Sum own_before{};
#pragma unroll 8
    for (Index part = threadIdx.x; part < parts; part += scan_threads) {
      const std::uint64_t term = term_of(part);
      own.add(term);
      if (part < share_begin) own_before.add(term);
    }
    const WideSum total = Scan::exclusive(storage, own).all.sum();
    WideSum done = 0;
    if (share_begin > 0) {
      __syncthreads();
      done = Scan::exclusive(storage, own_before).all.sum();
    }
    if (total == 0) {
      if (threadIdx.x == 0 && !tables.empty_ok) atomicMin(&tables.status->no_weight, segment);
      for (Index part = share_begin + threadIdx.x; part < share_end; part += scan_threads) {
        masses[part] = DeviceSegments::without_weight;
        if (prefixes != nullptr) prefixes[part] = 0;
      }
      continue;
    }
    const CommonUnit unit(total, items);
    for (Index begin = share_begin; begin < share_end; begin += scan_threads) {
      const Index part = begin + threadIdx.x;
      own = {};
      if (part < parts) own.add(term_of(part));
      __syncthreads();  // the storage may still be read
      const BlockSum<Sum> all = Scan::exclusive(storage, own);
      if (part < parts) {
        const WideSum before = done + all.before.sum();
        const std::uint64_t inclusive = unit.prefix_mass(before + own.sum());
        masses[part] = inclusive - unit.prefix_mass(before);
        if (prefixes != nullptr) prefixes[part] = inclusive;
      }
      done += all.all.sum();
    }
  }
  if constexpr (!few_parts) grid_dependency_sync();
}

/// Reads or writes a sum that blocks publish: 16 bytes at once, as in CUB's look-back.
[[nodiscard]] __device__ KnownSum read_shared(const KnownSum* from) {
  KnownSum sum;
  std::uint64_t rest;
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];"
               : "=l"(sum.sum), "=l"(rest)
               : "l"(from)
               : "memory");
  sum.count = static_cast<Index>(rest);
  sum.known = static_cast<Index>(rest >> 32);
  return sum;
}
__device__ void publish(KnownSum* to, const KnownSum& sum) {
  asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(sum.sum),
               "l"(std::uint64_t{sum.known} << 32 | sum.count)
               : "memory");
}

/// What the parts before a part leave over of one kind, by a warp; looks back at these parts, whose
/// rows are being made or have been (Merrill and Garland, 2016). Each lane looks at several at a
/// time: the sums of as many parts as blocks are resident may not be known, and a part ends every
/// few nanoseconds.
[[nodiscard]] __device__ KnownSum sum_before(const KnownSum* sums, Index part) {
  constexpr Index of_lane = 4;
  const Index lane = threadIdx.x % 32;
  KnownSum own{0, 0, KnownSum::prefix};
  for (Index left = part, prefixes = 0; prefixes == 0; left -= of_lane * 32) {
    KnownSum found[of_lane];
    const auto is_there = [&](Index k) { return k * 32 + lane < left; };
    const auto read = [&](Index k) { return read_shared(sums + (left - 1 - k * 32 - lane)); };
#pragma unroll
    for (Index k = 0; k < of_lane; ++k) {
      found[k] = is_there(k) ? read(k) : KnownSum{0, 0, KnownSum::prefix};
    }
#pragma unroll
    for (Index k = 0; k < of_lane && prefixes == 0; ++k) {
      while (found[k].known == KnownSum::none) {
        __nanosleep(20);
        found[k] = read(k);
      }
      __syncwarp();
      prefixes = __ballot_sync(~0U, found[k].known == KnownSum::prefix);
      // Up to the first of them.
      if ((prefixes & ((1U << lane) - 1)) != 0) continue;
      own.sum += found[k].sum;
      own.count += found[k].count;
    }
  }
  own.sum = warp_sum(own.sum);
  own.count = warp_sum(own.count);
  return own;
}

/// Shared memory of `exchange_sums`.
struct Exchange {
  KnownSum before[2];  ///< of light items, of heavy ones
  Index next_part;
};

/// Publishes what a part leaves over, `own` of one kind and none of the other.
__device__ void publish_own(const DeviceSegments& tables, Index part, bool is_heavy,
                            const KnownSum& own) {
  if (threadIdx.x >= 2) return;
  const bool is_own = (threadIdx.x == 1) == is_heavy;
  publish(tables.known_sums[threadIdx.x] + part, is_own ? own : KnownSum{0, 0, KnownSum::own});
}

/// `sum_before` of the same kind, by a block; publishes the sums with those of the part, and takes
/// the next part.
[[nodiscard]] __device__ KnownSum exchange_sums(Exchange& storage, const DeviceSegments& tables,
                                                Index part, bool is_heavy, const KnownSum& own) {
  const Index kind = threadIdx.x / 32;
  if (kind < 2) {
    const KnownSum before = sum_before(tables.known_sums[kind], part);
    if (threadIdx.x % 32 == 0) {
      const bool is_own = (kind == 1) == is_heavy;
      publish(tables.known_sums[kind] + part,
              {before.sum + (is_own ? own.sum : 0), before.count + (is_own ? own.count : 0),
               KnownSum::prefix});
      storage.before[kind] = before;
    }
  } else if (threadIdx.x == block_threads - 1) {
    storage.next_part = atomicAdd(&tables.status->taken, 1) + 1;
  }
  __syncthreads();
  return storage.before[is_heavy ? 1 : 0];
}

/// Prefetches the weights of `items` items from number `begin` on into the L2, by a thread.
template <class T>
__device__ void prefetch_weights(const T* weights, Index begin, Index items) {
#if __CUDA_ARCH__ >= 900
  // Whole vectors of 16 bytes among them.
  constexpr std::uintptr_t vector = 16;
  const auto first = reinterpret_cast<std::uintptr_t>(weights + begin) + vector - 1;
  const auto end = reinterpret_cast<std::uintptr_t>(weights + begin + items) / vector * vector;
  const std::uintptr_t from = first / vector * vector;
  if (from >= end) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                   __cvta_generic_to_global(reinterpret_cast<const void*>(from))),
               "r"(static_cast<unsigned>(end - from)));
#endif
}

/// Makes the rows of the segments of a task.
template <class T>
__device__ void build_task(SegmentStorage& storage, const DeviceSegments& tables, const T* weights,
                           const Task& task) {
  const auto begin_of = [offsets = tables.offsets + task.segment, begin = task.item](Index s) {
    return offsets[s] - begin;
  };
  const BlockSegments segments{task.segments, begin_of};
  SegmentBlock<T> block(storage, task.item, task.items);
  block.load(weights, [&](Index item) { atomicMin(&tables.status->bad_item, item); });
  static_cast<void>(block.sum_weights(segments));
  block.find_masses(segments, [&](Index s) {
    if (!tables.empty_ok) atomicMin(&tables.status->no_weight, task.segment + s);
  });
  block.write_rows(tables.rows);
}

/// Makes the rows of a part of a long segment, and lists the items that it leaves over.
template <class T>
__device__ void build_part(SegmentStorage& storage, Exchange& exchange,
                           const DeviceSegments& tables, const T* weights, Index number,
                           Index parts) {
  const PartItems part = tables.parts[number];
  const PartItems later = tables.parts[min(number + gridDim.x, parts - 1)];
  const std::uint64_t mass = tables.masses[number];
  if (threadIdx.x == 0) prefetch_weights(weights, later.begin, later.items);
  if (mass == DeviceSegments::without_weight) {
    const KnownSum nothing{0, 0, KnownSum::own};
    publish_own(tables, number, false, nothing);
    for (Index i = threadIdx.x; i < part.items; i += block_threads) {
      tables.rows[part.begin + i] = row_without_weight();
    }
    __syncthreads();  // `exchange` may still be read
    static_cast<void>(exchange_sums(exchange, tables, number, false, nothing));
    return;
  }
  const TileSum sum = tables.part_sums[number];
  SegmentBlock<T> block(storage, part.begin, part.items);
  block.load(weights, [](Index) {});
  block.sum_weights_of_part(sum.shift);
  block.find_masses_of_part(sum.sum, mass);
  const PartRemainder left = block.find_remainder(mass);
  const std::uint64_t excess = mass - (std::uint64_t{part.items} << 32);
  const KnownSum own{left.is_heavy ? excess : 0 - excess, left.count, KnownSum::own};
  publish_own(tables, number, left.is_heavy, own);
  const auto exchange_own = [&] {
    return exchange_sums(exchange, tables, number, left.is_heavy, own);
  };
  const auto put = [&](const KnownSum& before) {
    return [&](Index k, std::uint64_t more, Index item) {
      const Index place = left.is_heavy ? tables.items - 1 - (before.count + k) : before.count + k;
      tables.sums[place] = before.sum + more;
      tables.list_items[place] = part.begin + item;
    };
  };
  if (block.is_ordinary(mass)) {
    block.write_rows_of_part(left, tables.rows);
    const KnownSum before = exchange_own();
    block.for_each_left(left, put(before));
  } else {
    const KnownSum before = exchange_own();
    block.for_each_left_of_great_mass(left, put(before));
    block.write_rows_of_part(left, tables.rows);
  }
}

/// Makes the rows of all parts. Blocks take parts in order, so that every part that one waits for
/// is being made.
template <class T>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    build_parts(const DeviceSegments tables, const T* weights) {
  __shared__ SegmentStorage storage;
  __shared__ Exchange exchange;
  if (threadIdx.x == 0) {  // no kernel before does so
    exchange.next_part = atomicAdd(&tables.status->taken, 1) + 1;
  }
  start_after_the_one_before();
  __syncthreads();
  const Index parts = tables.status->parts + 1;
  for (Index number = exchange.next_part; number < parts; number = exchange.next_part) {
    build_part(storage, exchange, tables, weights, number, parts);
    __syncthreads();
  }
}

/// Makes the rows of the segments of all tasks, at the same time as those of parts: the kernel
/// before has waited for the lists, and this one waits for it at the end.
template <class T>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    build_tasks(const DeviceSegments tables, const T* weights) {
  if (tables.items <= part_items) grid_dependency_sync();  // there is no kernel for parts
  trigger_launch_completion();
  __shared__ SegmentStorage storage;
  const Index tasks = tables.status->tasks + 1;
  for (Index i = blockIdx.x; i < tasks; i += gridDim.x) {
    const Task task = tables.tasks[i];
    const Task& later = tables.tasks[min(i + gridDim.x, tasks - 1)];
    const Index later_item = later.item;
    const Index later_items = later.items;
    if (threadIdx.x == 0) prefetch_weights(weights, later_item, later_items);
    build_task(storage, tables, weights, task);
    __syncthreads();
  }
  grid_dependency_sync();
}

/// What all parts leave over, in global memory.
struct Remainders {
  const std::uint64_t* sums;
  const Index* items;
  Index end;
  KnownSum lights;  ///< all of them
  KnownSum heavies;

  [[nodiscard]] static __device__ Remainders of(const DeviceSegments& tables) {
    const Index parts = tables.status->parts + 1;
    const auto all = [&](Index kind) {
      return parts == 0 ? KnownSum{} : tables.known_sums[kind][parts - 1];
    };
    return {tables.sums, tables.list_items, tables.items, all(0), all(1)};
  }
  [[nodiscard]] __device__ Index steps() const { return lights.count + heavies.count; }
  [[nodiscard]] __device__ Index heavy_place(Index h) const { return end - 1 - h; }
  [[nodiscard]] __device__ std::uint64_t light_sum(Index l) const {
    return l < lights.count ? sums[l] : lights.sum;
  }
  [[nodiscard]] __device__ std::uint64_t heavy_sum(Index h) const { return sums[heavy_place(h)]; }

  /// Number of light items among the first `steps` items of the merge (merge path search), by a
  /// warp.
  [[nodiscard]] __device__ Index lights_before(Index steps) const {
    return warp_partition_point(
        steps > heavies.count ? steps - heavies.count : 0, min(steps, lights.count),
        [&](Index light) { return heavy_sum(steps - 1 - light) > light_sum(light); });
  }
};

/// Makes the rows of what is left over, in pieces of 2,048 items of the merge.
__global__ void __launch_bounds__(merge_threads, at_most_resident(5, merge_threads))
    merge_pieces(const DeviceSegments tables) {
  start_after_the_one_before();
  constexpr Index capacity = part_items + 2;
  __shared__ merge::Swizzled<capacity> keys;
  __shared__ merge::Swizzled<capacity> rows;
  __shared__ Index items[capacity];
  __shared__ Index splits[2];
  const Remainders lists = Remainders::of(tables);
  const Index pieces = part_count(lists.steps());
  for (Index piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const bool is_last = piece + 1 == pieces;
    const Index begin = piece * part_items;
    if (threadIdx.x < 64) {
      const Index border = threadIdx.x / 32;
      splits[border] = lists.lights_before(min(begin + border * part_items, lists.steps()));
    }
    __syncthreads();
    const Index light = splits[0];
    const Index lights = splits[1] - light;
    const Index heavy = begin - light;
    const Index steps = is_last ? lists.steps() - begin : part_items;
    const Index heavies = steps - lights;
    // The lists continue with the item after the piece. Keys are numbers in `items`.
    const auto is_there = [&](Index number) {
      return number <= lights
                 ? light + number < lists.lights.count
                 : number < steps + 2 && heavy + number - lights - 1 < lists.heavies.count;
    };
    // Loaded before any is used.
    constexpr Index turns = (capacity + merge_threads - 1) / merge_threads;
    std::uint64_t sum[turns];
    Index item[turns];
#pragma unroll
    for (Index k = 0; k < turns; ++k) {
      const Index number = k * merge_threads + threadIdx.x;
      const Index place =
          number <= lights ? light + number : lists.heavy_place(heavy + number - lights - 1);
      sum[k] = is_there(number) ? lists.sums[place] : lists.lights.sum;
      item[k] = is_there(number) ? lists.items[place] : 0;
    }
    // The sum of a light item exceeds that of another of the piece by little more than 2^43, and
    // so does that of a heavy item that ends in it.
    const std::uint64_t first_light = lists.light_sum(light);
    const std::uint64_t base =
        heavy < lists.heavies.count ? min(first_light, lists.heavy_sum(heavy)) : first_light;
#pragma unroll
    for (Index k = 0; k < turns; ++k) {
      const Index number = k * merge_threads + threadIdx.x;
      if (number >= steps + 2) break;
      const merge::Key key = merge::capped(sum[k] - base) << merge::key_shift | number;
      keys.set(number, number <= lights ? key | light_bit : is_there(number) ? key : merge::no_key);
      items[number] = item[k];
    }
    __syncthreads();
    const Index start = min(threadIdx.x * merge_items, steps);
    const Index stop = min(start + merge_items, steps);
    const Index own = merge::lights_of_steps(
        keys, lights + 1, start, start > heavies ? start - heavies : 0, min(start, lights));
    merge::merge_steps(keys, rows, own, lights + 1 + start - own, stop - start,
                       [](Index number) { return number; });
    __syncthreads();
#pragma unroll 4
    for (Index i = threadIdx.x; i < steps; i += merge_threads) {
      const Index number = i < lights ? i : i + 1;
      const std::uint64_t row = rows[number];
      tables.rows[items[number]] = {static_cast<Index>(row), items[row >> 32]};
    }
  }
}

/// Launches a kernel that begins with `start_after_the_one_before`, of this many blocks or as many
/// as are resident at once.
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), unsigned threads, std::uint64_t blocks,
            cudaStream_t stream, const Arguments&... arguments) {
  blocks = std::min<std::uint64_t>(blocks, blocks_that_fill(kernel, threads));
  launch_programmatic(kernel, {static_cast<unsigned>(blocks), threads}, stream, arguments...);
  check_launch(name);
}

/// Finds the masses of the parts that have been listed.
template <class T>
void find_masses(const DeviceSegments& tables, std::span<const T> weights, cudaStream_t stream) {
  launch("sum_parts", sum_parts<T>, block_threads, tables.slots, stream, tables, weights.data());
  if (tables.few_parts == tables.slots) {
    constexpr unsigned threads = 256;
    launch("find_part_masses", find_part_masses<threads, true, 1>, threads, tables.slots, stream,
           tables);
    return;
  }
  constexpr unsigned few_threads = 32;
  constexpr unsigned most_threads = 1024;
  constexpr Index sharing = 16;
  launch("find_part_masses", find_part_masses<few_threads, true, 1>, few_threads, tables.slots,
         stream, tables);
  launch("find_part_masses", find_part_masses<most_threads, false, sharing>, most_threads,
         tables.slots / tables.few_parts * sharing, stream, tables);
}

/// Takes the memory of `find_masses` from `arena`.
DeviceSegments with_storage_of_parts(Index items, DeviceArena& arena) {
  const std::uint64_t slots = DeviceSegments::most_parts(items);
  DeviceSegments tables{};
  tables.slots = static_cast<Index>(slots);
  // Of few items, all segments: one kernel takes less time than both for segments of one kind.
  tables.few_parts = slots <= 2048 ? tables.slots : 64;
  tables.long_segments = arena.take<ListedSegment>(slots);
  tables.parts = arena.take<PartItems>(slots);
  tables.part_sums = arena.take<TileSum>(slots);
  tables.masses = arena.take<std::uint64_t>(slots);
  return tables;
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
  DeviceSegments tables = with_storage_of_parts(items, arena);
  tables.chunk_digits = DeviceSegments::digits_for(items);
  const std::uint64_t chunks = DeviceSegments::most_chunks(items);
  tables.borders = arena.take<Border>(chunks + 1);
  tables.tasks = arena.take<Task>(DeviceSegments::most_tasks(items));
  for (KnownSum*& sums : tables.known_sums) sums = arena.take<KnownSum>(tables.slots);
  tables.sums = arena.take<std::uint64_t>(items);
  tables.list_items = arena.take<Index>(items);
  return tables;
}

DeviceSegmentTables::DeviceSegmentTables(std::uint64_t segments, Index items)
    : offsets_(segments + 1), rows_(items), status_(1) {
  reserve_temporary();
}

void DeviceSegmentTables::reserve_temporary() {
  if (storage_.size() > 0) return;
  DeviceArena sizes;
  static_cast<void>(with_storage(item_capacity(), sizes));
  const detail::RelaxedCapture relaxed;
  storage_ = DeviceBuffer<std::byte>(sizes.used());
}

void DeviceSegmentTables::build(const SegmentsView& segments, const WeightsView& weights,
                                bool empty_ok, cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  reserve_temporary();
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
        capped_blocks_for(segments.count(), threads, blocks_that_fill(threads) * 8);
    copy_offsets<<<blocks, threads, 0, stream>>>(offsets, tables);
    check_launch("copy_offsets");
  });
  if (items == 0) return;
  weights.visit([&]<class T>(std::span<const T> w) {
    // How many tasks and parts there are is known on the device alone.
    constexpr unsigned search_threads = 64;
    launch("list_tasks", list_tasks, search_threads, (tables.chunks() + 1) / 2, stream, tables);
    const bool may_have_parts = items > part_items;
    if (may_have_parts) {
      find_masses(tables, w, stream);
      launch("build_parts", build_parts<T>, block_threads, tables.slots, stream, tables, w.data());
    }
    launch("build_tasks", build_tasks<T>, block_threads, DeviceSegments::most_tasks(items), stream,
           tables, w.data());
    if (!may_have_parts) return;
    launch("merge_pieces", merge_pieces, merge_threads, tables.slots, stream, tables);
  });
}

DeviceSegments find_masses_of_parts(std::uint64_t rows, const WeightsView& weights, bool empty_ok,
                                    DeviceArena& arena, cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  DeviceSegments tables = with_storage_of_parts(items, arena);
  tables.segments = rows;
  tables.items = items;
  tables.empty_ok = empty_ok;
  tables.status = arena.take<SegmentStatus>(1);
  tables.prefix_masses = arena.take<std::uint64_t>(tables.slots);
  if (!arena.has_block()) return tables;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(tables.status, 0xFF, sizeof *tables.status, stream));
  constexpr unsigned threads = 256;
  list_rows<<<capped_blocks_for(tables.slots, threads, blocks_that_fill(threads)), threads, 0,
              stream>>>(tables, static_cast<Index>(items / rows));
  check_launch("list_rows");
  weights.visit([&](auto w) { find_masses(tables, w, stream); });
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
