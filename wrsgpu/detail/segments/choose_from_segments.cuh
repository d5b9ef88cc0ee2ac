// The kernel that chooses from segments without replacement.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/segments/draw_from_segments.cuh"
#include "wrsgpu/detail/segments/segment_clocks.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"

namespace wrsgpu::segments {

/// Up to 2,048 clocks in shared memory.
struct Clocks {
  detail::ClockKey* keys;
  Index* items;

  [[nodiscard]] __device__ detail::Ringing operator[](Index i) const { return {keys[i], items[i]}; }
  __device__ void set(Index i, const detail::Ringing& clock) const {
    keys[i] = clock.key;
    items[i] = clock.item;
  }
  /// Sorts the first `count` by bitonic merges, and pads them to a power of two. `threads` threads,
  /// of which this is `thread`, call it; `sync` is their barrier.
  template <class Sync>
  __device__ void sort(Index count, unsigned thread, unsigned threads, const Sync& sync) const {
    Index size = 1;
    while (size < count) size *= 2;
    for (Index i = count + thread; i < size; i += threads) set(i, {detail::never, ~Index{0}});
    sync();
    for (Index sorted = 2; sorted <= size; sorted *= 2) {
      for (Index distance = sorted / 2; distance > 0; distance /= 2) {
        for (Index pair = thread; pair < size / 2; pair += threads) {
          const Index low = 2 * pair - pair % distance;
          const detail::Ringing a = (*this)[low];
          const detail::Ringing b = (*this)[low + distance];
          const bool ascends = (low & sorted) == 0;
          if ((b < a) == ascends) {
            set(low, b);
            set(low + distance, a);
          }
        }
        sync();
      }
    }
  }
};

/// What to choose from, and what for.
template <class T, class Offsets>
struct ChoiceTask {
  const T* weights;
  Offsets offsets;
  const SegmentStatus* status;  ///< null if all segments are valid
  std::uint64_t segments;
  std::uint64_t rows;
  unsigned block_rows;  ///< that a block has at a time, up to one for each of its warps
  std::uint64_t seed;
  DrawTask draw;

  [[nodiscard]] __device__ Segment segment_of_row(std::uint64_t row) const {
    const bool is_valid = status == nullptr || status->bad_offset == SegmentStatus::none;
    return segment_of(offsets, is_valid ? segments : 0,
                      draw.from != nullptr ? draw.from[row] : row);
  }
  /// The weight of an item, 0 if it is invalid.
  [[nodiscard]] __device__ T weight_of(const Segment& segment, std::uint64_t item) const {
    const T weight = weights[segment.begin + item];
    if (draw.invalid != nullptr && !(weight >= 0 && weight < HUGE_VAL)) *draw.invalid = 1;
    return weight > 0 ? weight : T{0};
  }
  template <int rounds>
  [[nodiscard]] __device__ detail::Ringing clock(const Segment& segment, std::uint64_t row,
                                                 Index item) const {
    const auto weight = static_cast<double>(weight_of(segment, item));
    if (!(weight > 0)) return {detail::never, item};
    const auto quad = RowWords<rounds>(seed, draw.offset + row).quad(item / 4);
    std::uint64_t word = quad.word(0);
#pragma unroll
    for (unsigned s = 1; s < 4; ++s) word = item % 4 == s ? quad.word(s) : word;
    return {detail::clock_key(word, weight), item};
  }
  /// Stores the first `count` of `clocks` as the samples of a row from `first` on, and no items
  /// after them if these are the last.
  __device__ void put(const Segment& segment, std::uint64_t row, const Clocks& clocks,
                      std::uint64_t first, Index count, bool are_last, unsigned thread,
                      unsigned threads) const {
    const std::uint64_t begin = row * draw.k;
    for (Index j = thread; j < count; j += threads) {
      draw.out.put(begin + first + j,
                   draw.names(static_cast<Index>(segment.begin + clocks.items[j]), segment));
    }
    if (!are_last) return;
    for (std::uint64_t j = first + count + thread; j < draw.k; j += threads) {
      draw.out.put(begin + j, no_item);
    }
    if (thread != 0) return;
    if (draw.counts != nullptr) draw.counts[row] = static_cast<Index>(first + count);
    if (draw.invalid != nullptr && first + count < draw.k) *draw.invalid = 1;
  }
};

inline constexpr Index warp_clocks = 256;
inline constexpr Index kept_clocks = 1024;

/// Chooses from a segment of up to `warp_clocks` items, by a warp.
template <int rounds, class Task>
__device__ void choose_by_warp(const Task& task, const Segment& segment, std::uint64_t row,
                               const Clocks& clocks) {
  const unsigned lane = threadIdx.x % 32;
  Index count = 0;
  for (Index first = 0; first < segment.items; first += 32) {
    const Index item = first + lane;
    detail::Ringing clock{detail::never, 0};
    if (item < segment.items) clock = task.template clock<rounds>(segment, row, item);
    const bool rings = clock.key != detail::never;
    const unsigned ringing = __ballot_sync(~0U, rings ? 1 : 0);
    if (rings) clocks.set(count + __popc(ringing & ((1U << lane) - 1)), clock);
    count += __popc(ringing);
  }
  const auto sync = [] { __syncwarp(); };
  sync();
  clocks.sort(count, lane, 32, sync);
  const auto chosen = static_cast<Index>(min(std::uint64_t{count}, task.draw.k));
  task.put(segment, row, clocks, 0, chosen, true, lane, 32);
  sync();
}

/// Chooses from a segment of any length, by a block: keeps the first clocks, as many as are wanted,
/// and collects those that ring before the last of them.
template <int rounds, class T, class Offsets>
__device__ void choose_by_block(const ChoiceTask<T, Offsets>& task, const Segment& segment,
                                std::uint64_t row, const Clocks& clocks, Index& collected) {
  constexpr Index step_items = 4 * draw_threads;  // a quad of words for each thread
  static_assert(kept_clocks + step_items <= 2 * kept_clocks);
  const auto sync = [] { __syncthreads(); };
  const RowWords<rounds> words(task.seed, task.draw.offset + row);
  detail::Ringing after{0, 0};  // no clock rings at time 0
  for (std::uint64_t put = 0; put < task.draw.k;) {
    const auto wanted = static_cast<Index>(min(task.draw.k - put, std::uint64_t{kept_clocks}));
    Index kept = 0;
    detail::Ringing before{detail::never, 0};
    detail::MayRingBefore<T> may_ring(before.key);
    if (threadIdx.x == 0) collected = 0;
    sync();
    for (std::uint64_t first = 0; first < segment.items; first += step_items) {
      const std::uint64_t own = first + 4 * threadIdx.x;
      T weight[4];
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) {
        weight[s] = own + s < segment.items ? task.weight_of(segment, own + s) : T{0};
      }
      const auto quad = static_cast<Index>(own / 4);
      const random::PhiloxBlock high = words.high_halves(quad);
      unsigned may = 0;
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) {
        if (weight[s] > 0 && may_ring(high.word[s], weight[s])) may |= 1U << s;
      }
      if (may != 0) {
        const random::PhiloxBlock low = words.low_halves(quad);
#pragma unroll
        for (unsigned s = 0; s < 4; ++s) {
          if ((may >> s & 1) == 0) continue;
          const std::uint64_t word = random::SplitWords<rounds>::joined(high.word[s], low.word[s]);
          const detail::Ringing clock{detail::clock_key(word, static_cast<double>(weight[s])),
                                      static_cast<Index>(own + s)};
          if (after < clock && clock < before) clocks.set(kept + atomicAdd(&collected, 1), clock);
        }
      }
      sync();
      const Index count = kept + collected;
      sync();
      if (count + step_items <= 2 * kept_clocks && first + step_items < segment.items) continue;
      clocks.sort(count, threadIdx.x, draw_threads, sync);
      kept = min(count, wanted);
      if (kept == wanted) before = clocks[wanted - 1];
      may_ring = detail::MayRingBefore<T>(before.key);
      if (threadIdx.x == 0) collected = 0;
      sync();
    }
    const bool are_all = kept < wanted;
    task.put(segment, row, clocks, put, kept, are_all || put + kept == task.draw.k, threadIdx.x,
             draw_threads);
    put += kept;
    if (are_all) return;
    after = before;
    sync();
  }
}

/// Chooses without replacement, from up to as many segments at a time as a block has warps.
template <int rounds, class T, class Offsets>
__global__ void __launch_bounds__(draw_threads)
    choose_from_segments(const ChoiceTask<T, Offsets> task) {
  __shared__ detail::ClockKey keys[2 * kept_clocks];
  __shared__ Index items[2 * kept_clocks];
  __shared__ Index collected;
  constexpr unsigned warps = draw_threads / 32;
  static_assert(warps * warp_clocks == 2 * kept_clocks);
  const unsigned warp = threadIdx.x / 32;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * task.block_rows; first < task.rows;
       first += std::uint64_t{gridDim.x} * task.block_rows) {
    const std::uint64_t end = min(first + task.block_rows, task.rows);
    if (first + warp < end) {
      const Segment segment = task.segment_of_row(first + warp);
      if (segment.items <= warp_clocks) {
        choose_by_warp<rounds>(task, segment, first + warp,
                               {keys + warp * warp_clocks, items + warp * warp_clocks});
      }
    }
    __syncthreads();
    for (std::uint64_t row = first; row < end; ++row) {
      const Segment segment = task.segment_of_row(row);
      if (segment.items <= warp_clocks) continue;
      choose_by_block<rounds>(task, segment, row, {keys, items}, collected);
      __syncthreads();
    }
  }
}

}  // namespace wrsgpu::segments
