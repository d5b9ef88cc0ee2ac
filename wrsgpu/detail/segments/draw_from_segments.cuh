// The kernels that draw from segments, walk on them, and draw from the rows of a matrix.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/segments/device_segments.cuh"
#include "wrsgpu/detail/segments/segment_block.cuh"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/segments_view.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

inline constexpr unsigned draw_threads = 256;

/// The tables to draw from, as kernels see them.
struct DrawnTables {
  const CompactRow* rows;
  detail::ArrayOffsets<Index> offsets;
  const SegmentStatus* status;
  std::uint64_t segments;

  /// The number of segments from which items can be drawn: none if an offset is invalid.
  [[nodiscard]] __device__ std::uint64_t valid_segments() const {
    return status->bad_offset == SegmentStatus::none ? segments : 0;
  }
};

/// Where samples are written, as numbers of 32 or 64 bits.
struct SampleArray {
  void* data;
  bool is_wide;

  template <class T>
  [[nodiscard]] static SampleArray of(std::span<T> samples) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return {samples.data(), sizeof(T) == 8};
  }
  __device__ void put(std::uint64_t place, Index sample) const {
    if (is_wide) {
      const std::uint64_t number = sample == no_item ? ~std::uint64_t{0} : sample;
      __stcs(static_cast<unsigned long long*>(data) + place, number);
    } else {
      __stcs(static_cast<Index*>(data) + place, sample);
    }
  }
  /// Whether `put_quad` may be called for places that are multiples of 4.
  [[nodiscard]] __device__ bool takes_quads() const {
    return !is_wide && reinterpret_cast<std::uintptr_t>(data) % sizeof(uint4) == 0;
  }
  __device__ void put_quad(std::uint64_t place, const Index (&samples)[4]) const {
    __stcs(reinterpret_cast<uint4*>(static_cast<Index*>(data) + place),
           make_uint4(samples[0], samples[1], samples[2], samples[3]));
  }
};

/// What to draw.
struct DrawTask {
  const Index* from;  ///< null for every segment
  std::uint64_t k;
  std::uint64_t samples;
  std::uint64_t offset;
  ItemNames names;
  SampleArray out;
  Index* counts;             ///< may be null
  Index* invalid = nullptr;  ///< set to 1 for a row that is invalid; may be null
};

/// Draws four samples at a time, from the words of one quad of the stream. What they read from
/// memory is independent, without branches between it.
template <int rounds>
__global__ void __launch_bounds__(draw_threads, at_most_resident(4, draw_threads))
    draw_from_segments(const __grid_constant__ random::SplitWords<rounds> words,
                       const DrawnTables tables, const DrawTask task) {
  const bool are_valid = tables.valid_segments() > 0;
  const auto segment_of_row = [&](std::uint64_t row) {
    return segment_of(tables.offsets, tables.segments, task.from != nullptr ? task.from[row] : row);
  };
  const auto skipped = static_cast<Index>(task.offset & 3);
  const std::uint64_t quads = (task.samples + skipped + 3) / 4;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  const bool puts_quads = skipped == 0 && task.out.takes_quads();
  for (std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; q < quads;
       q += stride) {
    // The samples of the quad are those from place `begin` on and before `end`.
    const Index begin = q == 0 ? skipped : 0;
    const auto end = static_cast<Index>(min(task.samples + skipped - 4 * q, std::uint64_t{4}));
    const std::uint64_t first = 4 * q + begin - skipped;
    const std::uint64_t first_row = task.samples >> 32 == 0
                                        ? static_cast<Index>(first) / static_cast<Index>(task.k)
                                        : first / task.k;
    const std::uint64_t column = first - first_row * task.k;
    // The row of each after the first one; more than one follows only where rows have few samples.
    Index row[4];
    Index last_row = 0;
    auto left = static_cast<Index>(min(task.k - column, std::uint64_t{4}));
#pragma unroll
    for (Index s = 0; s < 4; ++s) {
      if (s > begin && s < end && --left == 0) {
        ++last_row;
        left = static_cast<Index>(min(task.k, std::uint64_t{4}));
      }
      row[s] = last_row;
    }
    Segment segment[4];
    if (task.k >= 4) {
      const Segment two[2] = {segment_of_row(first_row), segment_of_row(first_row + last_row)};
#pragma unroll
      for (Index s = 0; s < 4; ++s) segment[s] = row[s] == 0 ? two[0] : two[1];
    } else {
#pragma unroll
      for (Index s = 0; s < 4; ++s) segment[s] = segment_of_row(first_row + row[s]);
    }
    const std::uint64_t number = ((task.offset >> 2) + q) & (~std::uint64_t{0} >> 2);
    const random::PhiloxBlock high = words.high_halves(number);
    const random::PhiloxBlock low = words.low_halves(number);
    RowChoice choice[4];
    CompactRow drawn[4];
#pragma unroll
    for (Index s = 0; s < 4; ++s) {
      if (!are_valid) segment[s].items = 0;
      choice[s] = choose_row(words.joined(high.word[s], low.word[s]), segment[s].items);
      if (segment[s].items != 0)
        drawn[s] = read_at_random(tables.rows + segment[s].begin + choice[s].row, true);
    }
    Index item[4];
    Index named[4];
#pragma unroll
    for (Index s = 0; s < 4; ++s) {
      item[s] = item_of(segment[s], choice[s], drawn[s]);
      named[s] = task.names(item[s], segment[s]);
    }
    if (puts_quads && end == 4) {
      task.out.put_quad(4 * q, named);
    } else {
#pragma unroll
      for (Index s = 0; s < 4; ++s) {
        if (s >= begin && s < end) task.out.put(first + (s - begin), named[s]);
      }
    }
    if (task.counts == nullptr) continue;
#pragma unroll
    for (Index s = 0; s < 4; ++s) {
      const bool is_first = s == begin ? column == 0 : s > begin && row[s] > row[s - 1];
      if (!is_first) continue;
      task.counts[first_row + row[s]] = item[s] == no_item ? 0 : static_cast<Index>(task.k);
    }
  }
}

/// Walks, one for each thread. The steps of a warp's walks go through shared memory, so that whole
/// sectors of a walk are written.
template <int rounds>
__global__ void __launch_bounds__(draw_threads)
    walk_on_segments(const __grid_constant__ random::SplitWords<rounds> words,
                     const DrawnTables tables, const Index* starts, std::uint64_t walks,
                     std::uint64_t length, const Index* neighbours, const ReadOnce once,
                     std::uint64_t offset, Index* out) {
  constexpr unsigned steps = 8;
  __shared__ Index kept[draw_threads / 32][32][2 * steps + 1];
  const unsigned lane = threadIdx.x % 32;
  auto& of_warp = kept[threadIdx.x / 32];
  const std::uint64_t segments = tables.valid_segments();
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * draw_threads + threadIdx.x) - lane;
  if (first >= walks) return;
  // Lanes beyond the last walk repeat it, and write nothing.
  const std::uint64_t walk = min(first + lane, walks - 1);
  const Index start = starts[walk];
  // Writes the sectors that end with one of the steps from `begin` on, up to step `last`.
  const auto flush = [&](std::uint64_t begin, std::uint64_t last) {
    __syncwarp();
    for (unsigned of = lane / steps; of < 32; of += 32 / steps) {
      Index* const to = out + (first + of) * (length + 1);
      const auto before =
          static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) / sizeof *to) % steps;
      const std::uint64_t step = begin + lane % steps - before;  // great if there is none
      if (first + of < walks && step <= last) __stcs(to + step, of_warp[of][step % (2 * steps)]);
    }
    __syncwarp();
  };
  of_warp[lane][0] = start;
  walk_from(start, length, tables.rows, tables.offsets, segments, neighbours,
            ConsecutiveWords<rounds>(words, offset + walk * length), once,
            [&](std::uint64_t step, Index vertex) {
              if (step % steps == 0) flush(step - steps, step - 1);
              of_warp[lane][step % (2 * steps)] = vertex;
            });
  const std::uint64_t begin = length - length % steps;
  flush(begin, length);
  flush(begin + steps, length);
}

/// Draws from rows of a matrix by the prefix sums of their masses; a block for as many rows as fit.
/// The blocks of a column of the grid share the samples of the same rows.
template <class T, int rounds>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    draw_from_matrix(const __grid_constant__ random::SplitWords<rounds> words, const T* weights,
                     std::uint64_t rows, Index columns, const DrawTask task) {
  __shared__ SegmentStorage storage;
  const auto report = [&](Index) {
    if (task.invalid != nullptr) *task.invalid = 1;
  };
  const Index most = block_items / columns;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * most;
  const auto count = static_cast<Index>(min(std::uint64_t{most}, rows - first));
  SegmentBlock<T> block(storage, 0, count * columns);
  block.load(weights + first * columns, report);
  const BlockSegments segments{count, [columns](Index row) { return row * columns; }};
  static_cast<void>(block.sum_weights(segments));
  block.find_masses(segments, report);
  const std::uint64_t* const prefix = block.write_prefix_masses();
  const std::uint64_t begin = first * task.k;
  for (std::uint64_t i = blockIdx.y * block_threads + threadIdx.x; i < count * task.k;
       i += gridDim.y * block_threads) {
    const Index row = static_cast<Index>(i / task.k);
    task.out.put(begin + i,
                 find_item(prefix + row * columns, columns, words.word(task.offset + begin + i)));
  }
}

/// Draws from the rows of a matrix by search, where each has more than one part. A block finds the
/// parts of its samples, at most `block_threads` and `block_samples`, and the masses of each of
/// these parts.
template <class T, int rounds>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    draw_by_search(const __grid_constant__ random::SplitWords<rounds> words, const T* weights,
                   const DeviceSegments matrix, Index columns, Index block_samples,
                   const DrawTask task) {
  constexpr Index drawn = no_item;
  __shared__ SegmentStorage storage;
  __shared__ Index part_of[block_threads];  ///< of each sample, or `drawn`
  __shared__ std::uint64_t row_of[block_threads];
  if (task.invalid != nullptr && blockIdx.x == 0 && threadIdx.x == 0 &&
      matrix.status->has_found_invalid()) {
    *task.invalid = 1;
  }
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block_samples;
  const auto samples = static_cast<Index>(min(std::uint64_t{block_samples}, task.samples - first));
  const Index parts = part_count(columns);
  const std::uint64_t own = first + threadIdx.x;
  std::uint64_t place = 0;
  if (threadIdx.x < samples) {
    const std::uint64_t row = own / task.k;
    const std::uint64_t* const prefix = matrix.prefix_masses + row * parts;
    row_of[threadIdx.x] = row;
    part_of[threadIdx.x] = drawn;
    if (prefix[parts - 1] == 0) {
      task.out.put(own, no_item);
    } else {
      place = place_of(words.word(task.offset + own), columns);
      const Index part = first_above(prefix, parts, place);
      if (part > 0) place -= prefix[part - 1];
      part_of[threadIdx.x] = part;
    }
  }
#pragma unroll 1
  for (Index sample = 0; sample < samples; ++sample) {
    __syncthreads();
    const Index part = part_of[sample];
    const std::uint64_t row = row_of[sample];
    if (part == drawn) continue;
    const std::uint64_t number = row * parts + part;
    const auto [begin, items] = matrix.parts[number];
    const TileSum sum = matrix.part_sums[number];
    SegmentBlock<T> block(storage, begin, items);
    block.load(weights, [](Index) {});
    block.sum_weights_of_part(sum.shift);
    block.find_masses_of_part(sum.sum, matrix.masses[number]);
    const std::uint64_t* const masses = block.write_prefix_masses();
    if (threadIdx.x < samples && part_of[threadIdx.x] == part && row_of[threadIdx.x] == row) {
      task.out.put(own, part * part_items + first_above(masses, items, place));
      part_of[threadIdx.x] = drawn;
    }
  }
}

}  // namespace wrsgpu::segments
