#include "wrsgpu/gpu_segmented_sampler.cuh"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/sampling/split_word_loops.hpp"
#include "wrsgpu/detail/segments/device_segments.cuh"
#include "wrsgpu/detail/segments/segment_block.cuh"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_clocks.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"

namespace wrsgpu {

namespace segments {
namespace {

constexpr unsigned draw_threads = 256;

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

/// Draws four samples at a time, from the words of one quad of the stream.
template <int rounds>
__global__ void __launch_bounds__(draw_threads)
    draw_from_segments(const __grid_constant__ random::SplitWords<rounds> words,
                       const DrawnTables tables, const DrawTask task) {
  const std::uint64_t segments = tables.valid_segments();
  const std::uint64_t skipped = task.offset & 3;
  const std::uint64_t quads = (task.samples + skipped + 3) / 4;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; q < quads;
       q += stride) {
    const std::uint64_t number = ((task.offset >> 2) + q) & (~std::uint64_t{0} >> 2);
    const random::PhiloxBlock high = words.high_halves(number);
    const random::PhiloxBlock low = words.low_halves(number);
    // Sample i has place i + skipped in the quads.
    const std::uint64_t first = 4 * q > skipped ? 4 * q - skipped : 0;
    std::uint64_t row = task.samples >> 32 == 0
                            ? static_cast<Index>(first) / static_cast<Index>(task.k)
                            : first / task.k;
    std::uint64_t column = first - row * task.k;
    Index item[4];
    Segment segment[4];
#pragma unroll
    for (unsigned s = 0; s < 4; ++s) {
      item[s] = no_item;
      const std::uint64_t place = 4 * q + s;
      if (place < skipped || place - skipped >= task.samples) continue;
      segment[s] =
          segment_of(tables.offsets, segments, task.from != nullptr ? task.from[row] : row);
      item[s] = draw_item(tables.rows, segment[s], words.joined(high.word[s], low.word[s]));
      if (column == 0 && task.counts != nullptr) {
        task.counts[row] = item[s] == no_item ? 0 : static_cast<Index>(task.k);
      }
      if (++column == task.k) {
        column = 0;
        ++row;
      }
    }
#pragma unroll
    for (unsigned s = 0; s < 4; ++s) {
      const std::uint64_t place = 4 * q + s;
      if (place < skipped || place - skipped >= task.samples) continue;
      task.out.put(place - skipped, task.names(item[s], segment[s]));
    }
  }
}

/// Walks, one for each thread. The steps of a warp's walks go through shared memory, so that eight
/// of a walk are written together.
template <int rounds>
__global__ void __launch_bounds__(draw_threads)
    walk_on_segments(const __grid_constant__ random::SplitWords<rounds> words,
                     const DrawnTables tables, const Index* starts, std::uint64_t walks,
                     std::uint64_t length, const Index* neighbours, std::uint64_t offset,
                     Index* out) {
  constexpr unsigned steps = 8;
  __shared__ Index kept[draw_threads / 32][32][steps + 1];
  const unsigned lane = threadIdx.x % 32;
  auto& of_warp = kept[threadIdx.x / 32];
  const std::uint64_t segments = tables.valid_segments();
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * draw_threads + threadIdx.x) - lane;
  if (first >= walks) return;
  // Lanes beyond the last walk repeat it, and write nothing.
  const std::uint64_t walk = min(first + lane, walks - 1);
  const Index start = starts[walk];
  const auto flush = [&](std::uint64_t begin, unsigned count) {
    __syncwarp();
    for (unsigned i = lane; i < 32 * steps; i += 32) {
      const unsigned of = i / steps;
      const unsigned step = i % steps;
      if (first + of < walks && step < count) {
        __stcs(out + (first + of) * (length + 1) + begin + step, of_warp[of][step]);
      }
    }
    __syncwarp();
  };
  of_warp[lane][0] = start;
  walk_from(start, length, tables.rows, tables.offsets, segments, neighbours,
            ConsecutiveWords<rounds>(words, offset + walk * length),
            [&](std::uint64_t step, Index vertex) {
              const auto place = static_cast<unsigned>(step % steps);
              if (place == 0) flush(step - steps, steps);
              of_warp[lane][place] = vertex;
            });
  flush(length - length % steps, static_cast<unsigned>(length % steps) + 1);
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

/// Reports what a build found.
__global__ void report_status(const SegmentStatus* status, Index* invalid) {
  if (status->bad_item != SegmentStatus::none || status->no_weight != SegmentStatus::none) {
    *invalid = 1;
  }
}

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
  std::uint64_t seed;
  DrawTask draw;

  [[nodiscard]] __device__ Segment segment_of_row(std::uint64_t row) const {
    const bool is_valid = status == nullptr || status->bad_offset == SegmentStatus::none;
    return segment_of(offsets, is_valid ? segments : 0,
                      draw.from != nullptr ? draw.from[row] : row);
  }
  template <int rounds>
  [[nodiscard]] __device__ detail::Ringing clock(const Segment& segment, std::uint64_t row,
                                                 Index item) const {
    const auto weight = static_cast<double>(weights[segment.begin + item]);
    if (draw.invalid != nullptr && !(weight >= 0 && weight < HUGE_VAL)) *draw.invalid = 1;
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

constexpr Index warp_clocks = 256;
constexpr Index kept_clocks = 1024;

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

/// Chooses from a segment of any length, by a block: keeps the first clocks, and collects those
/// that ring before the last of them.
template <int rounds, class Task>
__device__ void choose_by_block(const Task& task, const Segment& segment, std::uint64_t row,
                                const Clocks& clocks, Index& collected) {
  const auto sync = [] { __syncthreads(); };
  detail::Ringing after{0, 0};  // no clock rings at time 0
  for (std::uint64_t put = 0; put < task.draw.k;) {
    Index kept = 0;
    detail::Ringing before{detail::never, 0};
    if (threadIdx.x == 0) collected = 0;
    sync();
    for (std::uint64_t first = 0; first < segment.items; first += draw_threads) {
      const std::uint64_t item = first + threadIdx.x;
      if (item < segment.items) {
        const auto clock = task.template clock<rounds>(segment, row, static_cast<Index>(item));
        if (after < clock && clock < before) clocks.set(kept + atomicAdd(&collected, 1), clock);
      }
      sync();
      const Index count = kept + collected;
      sync();
      if (count + draw_threads <= 2 * kept_clocks && first + draw_threads < segment.items) continue;
      clocks.sort(count, threadIdx.x, draw_threads, sync);
      kept = min(count, kept_clocks);
      if (kept == kept_clocks) before = clocks[kept_clocks - 1];
      if (threadIdx.x == 0) collected = 0;
      sync();
    }
    const bool are_all = kept < kept_clocks;
    const auto chosen = static_cast<Index>(min(std::uint64_t{kept}, task.draw.k - put));
    task.put(segment, row, clocks, put, chosen, are_all || put + chosen == task.draw.k, threadIdx.x,
             draw_threads);
    put += chosen;
    if (are_all) return;
    after = before;
    sync();
  }
}

/// Chooses without replacement, from as many segments at a time as a block has warps.
template <int rounds, class T, class Offsets>
__global__ void __launch_bounds__(draw_threads)
    choose_from_segments(const ChoiceTask<T, Offsets> task) {
  __shared__ detail::ClockKey keys[2 * kept_clocks];
  __shared__ Index items[2 * kept_clocks];
  __shared__ Index collected;
  constexpr unsigned warps = draw_threads / 32;
  static_assert(warps * warp_clocks == 2 * kept_clocks);
  const unsigned warp = threadIdx.x / 32;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * warps; first < task.rows;
       first += std::uint64_t{gridDim.x} * warps) {
    if (first + warp < task.rows) {
      const Segment segment = task.segment_of_row(first + warp);
      if (segment.items <= warp_clocks) {
        choose_by_warp<rounds>(task, segment, first + warp,
                               {keys + warp * warp_clocks, items + warp * warp_clocks});
      }
    }
    __syncthreads();
    for (unsigned w = 0; w < warps && first + w < task.rows; ++w) {
      const Segment segment = task.segment_of_row(first + w);
      if (segment.items <= warp_clocks) continue;
      choose_by_block<rounds>(task, segment, first + w, {keys, items}, collected);
      __syncthreads();
    }
  }
}

/// Throws `Error` unless `memory` is empty or accessible to the device.
template <class T>
void require_span_on_device(std::span<T> memory, const char* argument) {
  if (!memory.empty()) require_on_device(memory.data(), argument);
}

/// The arguments of a build, checked but for what is in device memory.
void require_device_arguments(const SegmentsView& segments, const WeightsView& weights) {
  check_sizes(segments, weights, Device::cuda);
  weights.visit([](auto w) { require_span_on_device(w, "weights"); });
  if (!segments.is_equal()) require_on_device(segments.data(), "segments");
}

/// Calls `use(view)` with the offsets in device memory; those in host memory are copied.
void with_segments_on_device(const SegmentsView& segments, const auto& use) {
  if (segments.is_equal() || segments.device() == Device::cuda) return use(segments);
  segments.visit([&]<class Offsets>(const Offsets& offsets) {
    if constexpr (!std::is_same_v<Offsets, detail::EqualOffsets>) {
      const std::span host(offsets.offsets, segments.count() + 1);
      DeviceBuffer<std::remove_cvref_t<decltype(host[0])>> device(host.size());
      copy_to_device(host, device.data());
      use(SegmentsView::on_device(std::as_const(device).span()));
    }
  });
}

/// The task of a draw of `k` samples from each of `count` segments of `items` items, with checked
/// arguments; none if there is nothing to draw, for which counts are set to 0.
template <class Number>
std::optional<DrawTask> checked_task(const Index* from, std::uint64_t count, Index items,
                                     std::uint64_t k, std::span<Number> out, RandomState state,
                                     const SegmentedDrawOptions& options, cudaStream_t stream) {
  check_draw(count, k, out.size(), items, options);
  require_span_on_device(out, "out");
  require_span_on_device(options.payload, "payload");
  require_span_on_device(options.counts, "counts");
  const ItemNames names{options.local_numbers,
                        options.payload.empty() ? nullptr : options.payload.data()};
  Index* const counts = options.counts.empty() ? nullptr : options.counts.data();
  if (!out.empty()) {
    return DrawTask{from, k, out.size(), state.offset, names, SampleArray::of(out), counts};
  }
  if (counts != nullptr) {
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(counts, 0, options.counts.size_bytes(), stream));
  }
  return std::nullopt;
}

void launch_draw(const DrawnTables& tables, const DrawTask& task, Generator generator,
                 std::uint64_t seed, cudaStream_t stream) {
  const unsigned blocks =
      capped_blocks_for(task.samples / 4 + 2, draw_threads, blocks_that_fill(draw_threads) * 8);
  with_split_words(
      rounds_of(generator), seed, [&]<int rounds>(const random::SplitWords<rounds>& words) {
        draw_from_segments<rounds><<<blocks, draw_threads, 0, stream>>>(words, tables, task);
        check_launch("draw_from_segments");
      });
}

template <class Offsets>
void launch_choice(const WeightsView& weights, const Offsets& offsets, const SegmentStatus* status,
                   std::uint64_t segments, std::uint64_t rows, const DrawTask& task,
                   Generator generator, std::uint64_t seed, cudaStream_t stream) {
  const unsigned blocks =
      capped_blocks_for(rows, draw_threads / 32, blocks_that_fill(draw_threads) * 8);
  weights.visit([&]<class T>(std::span<const T> w) {
    with_split_words(
        rounds_of(generator), seed, [&]<int rounds>(const random::SplitWords<rounds>&) {
          choose_from_segments<rounds><<<blocks, draw_threads, 0, stream>>>(
              ChoiceTask<T, Offsets>{w.data(), offsets, status, segments, rows, seed, task});
          check_launch("choose_from_segments");
        });
  });
}

DrawnTables drawn(const DeviceSegmentTables& tables, std::uint64_t segments) {
  return {tables.rows(), {tables.offsets()}, tables.status(), segments};
}

}  // namespace
}  // namespace segments

GpuSegmentedSampler::GpuSegmentedSampler(SegmentsView segments, const AnyWeights& weights,
                                         const SegmentedSamplerOptions& options)
    : options_(options) {
  rebuild(segments, weights);
}

GpuSegmentedSampler::GpuSegmentedSampler(GpuSegmentedSampler&&) noexcept = default;
GpuSegmentedSampler& GpuSegmentedSampler::operator=(GpuSegmentedSampler&&) noexcept = default;
GpuSegmentedSampler::~GpuSegmentedSampler() = default;

std::uint64_t GpuSegmentedSampler::segment_capacity() const {
  return tables_ ? tables_->segment_capacity() : 0;
}

Index GpuSegmentedSampler::capacity() const { return tables_ ? tables_->item_capacity() : 0; }

void GpuSegmentedSampler::rebuild(SegmentsView segments, const AnyWeights& any_weights) {
  const WeightsView weights = any_weights.view();
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());  // draws on other streams may still read the tables
  segments_ = 0;
  size_ = 0;
  pending_.reset();
  segments::with_segments_on_device(segments, [&](const SegmentsView& device_segments) {
    with_weights_on_device(weights, [&](WeightsView device_weights) {
      segments::require_device_arguments(device_segments, device_weights);
      const auto items = static_cast<Index>(weights.size());
      if (segment_capacity() < segments.count() || capacity() < items) {
        const std::uint64_t more_segments = std::max(segment_capacity(), segments.count());
        const Index more_items = std::max(capacity(), items);
        tables_.reset();  // before the larger ones are allocated
        tables_ = std::make_unique<segments::DeviceSegmentTables>(more_segments, more_items);
      }
      tables_->build(device_segments, device_weights, options_.empty_ok, nullptr);
      tables_->finish(device_segments, device_weights, nullptr);
      WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
      segments_ = segments.count();
      size_ = items;
    });
  });
}

void GpuSegmentedSampler::rebuild(SegmentsView segments, WeightsView weights, cudaStream_t stream) {
  segments::require_device_arguments(segments, weights);
  if (segments.count() > segment_capacity() || weights.size() > capacity()) {
    throw Error("rebuild: " + std::to_string(segments.count()) + " segments of " +
                std::to_string(weights.size()) + " items are more than the capacity of " +
                std::to_string(segment_capacity()) + " and " + std::to_string(capacity()) +
                "; call rebuild without a stream first");
  }
  tables_->build(segments, weights, options_.empty_ok, stream);
  segments_ = segments.count();
  size_ = static_cast<Index>(weights.size());
  pending_.emplace(segments, weights);
}

void GpuSegmentedSampler::finish(cudaStream_t stream) {
  if (!pending_) throw Error("finish: no rebuild on a stream is pending");
  try {
    tables_->finish(pending_->first, pending_->second, stream);
  } catch (const Error&) {
    segments_ = 0;
    size_ = 0;
    throw;
  }
}

void GpuSegmentedSampler::draw_rows(const Index* from, std::uint64_t count, std::uint64_t k,
                                    std::span<Index> out, RandomState state,
                                    const SegmentedDrawOptions& options,
                                    cudaStream_t stream) const {
  const auto task = segments::checked_task(from, count, size_, k, out, state, options, stream);
  if (!task) return;
  segments::launch_draw(segments::drawn(*tables_, segments_), *task, options_.generator, state.seed,
                        stream);
}

void GpuSegmentedSampler::choose(WeightsView weights, std::span<const Index> from, std::uint64_t k,
                                 std::span<Index> out, RandomState state,
                                 const SegmentedDrawOptions& options, cudaStream_t stream) const {
  segments::check_weights(weights, size_, Device::cuda);
  weights.visit([](auto w) { segments::require_span_on_device(w, "weights"); });
  segments::require_span_on_device(from, "from");
  const auto task =
      segments::checked_task(from.data(), from.size(), size_, k, out, state, options, stream);
  if (!task) return;
  segments::launch_choice(weights, detail::ArrayOffsets<Index>{tables_->offsets()},
                          tables_->status(), segments_, from.size(), *task, options_.generator,
                          state.seed, stream);
}

void GpuSegmentedSampler::draw(std::span<const Index> from, std::uint64_t k, std::span<Index> out,
                               RandomState state, const SegmentedDrawOptions& options,
                               cudaStream_t stream) const {
  segments::require_span_on_device(from, "from");
  draw_rows(from.data(), from.size(), k, out, state, options, stream);
}

void GpuSegmentedSampler::draw_from_all(std::uint64_t k, std::span<Index> out, RandomState state,
                                        const SegmentedDrawOptions& options,
                                        cudaStream_t stream) const {
  draw_rows(nullptr, segments_, k, out, state, options, stream);
}

void GpuSegmentedSampler::walk(std::span<const Index> starts, std::uint64_t length,
                               std::span<const Index> neighbours, std::span<Index> out,
                               RandomState state, cudaStream_t stream) const {
  segments::check_walk(starts.size(), length, out.size(), size_, neighbours.size());
  if (starts.empty()) return;
  segments::require_span_on_device(starts, "starts");
  segments::require_span_on_device(neighbours, "neighbours");
  segments::require_span_on_device(out, "out");
  const segments::DrawnTables tables = segments::drawn(*tables_, segments_);
  with_split_words(segments::rounds_of(options_.generator), state.seed,
                   [&]<int rounds>(const random::SplitWords<rounds>& words) {
                     constexpr unsigned threads = segments::draw_threads;
                     segments::walk_on_segments<rounds>
                         <<<blocks_for(starts.size(), threads), threads, 0, stream>>>(
                             words, tables, starts.data(), starts.size(), length, neighbours.data(),
                             state.offset, out.data());
                     check_launch("walk_on_segments");
                   });
}

HostBuffer<CompactRow> GpuSegmentedSampler::rows_to_host() const {
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  HostBuffer<CompactRow> rows(size_);
  if (size_ > 0) copy_to_host(tables_->rows(), rows.span());
  return rows;
}

namespace segments {
namespace {

template <class Number>
void draw_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns, std::uint64_t k,
                    std::span<Number> out, RandomState state, Generator generator,
                    cudaStream_t stream, Index* invalid) {
  const SegmentsView matrix = SegmentsView::equal(rows, columns);
  require_device_arguments(matrix, weights);
  auto task = checked_task(nullptr, rows, 0, k, out, state, {.local_numbers = true}, stream);
  if (!task) return;
  task->invalid = invalid;
  if (columns == 0) {  // every byte of no_item is 0xFF
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(out.data(), 0xFF, out.size_bytes(), stream));
    if (invalid != nullptr) WRSGPU_CUDA_CHECK(cudaMemsetAsync(invalid, 1, 1, stream));
    return;
  }
  if (columns > block_items) {
    DeviceSegmentTables tables(rows, static_cast<Index>(weights.size()));
    tables.build(matrix, weights, invalid == nullptr, stream);
    launch_draw(drawn(tables, rows), *task, generator, state.seed, stream);
    if (invalid != nullptr) {
      report_status<<<1, 1, 0, stream>>>(tables.status(), invalid);
      check_launch("report_status");
    }
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    return;
  }
  const auto of_row = static_cast<Index>(columns);
  const std::uint64_t block_rows = block_items / of_row;
  const unsigned blocks = blocks_for(rows, block_rows);
  // Many samples of few rows fill the device, too: several blocks find the same masses.
  constexpr std::uint64_t block_samples = 8 * block_threads;
  const auto sharing = static_cast<unsigned>(std::min<std::uint64_t>(
      blocks_that_fill(block_threads) / blocks, std::min(rows, block_rows) * k / block_samples));
  const dim3 grid(blocks, std::max(sharing, 1U));
  weights.visit([&]<class T>(std::span<const T> w) {
    with_split_words(
        rounds_of(generator), state.seed, [&]<int rounds>(const random::SplitWords<rounds>& words) {
          draw_from_matrix<T, rounds>
              <<<grid, block_threads, 0, stream>>>(words, w.data(), rows, of_row, *task);
          check_launch("draw_from_matrix");
        });
  });
}

template <class Number>
void choose_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                      std::uint64_t k, std::span<Number> out, RandomState state,
                      Generator generator, cudaStream_t stream, Index* invalid) {
  require_device_arguments(SegmentsView::equal(rows, columns), weights);
  auto task = checked_task(nullptr, rows, 0, k, out, state, {.local_numbers = true}, stream);
  if (!task) return;
  task->invalid = invalid;
  launch_choice(weights, detail::EqualOffsets{columns}, nullptr, rows, rows, *task, generator,
                state.seed, stream);
}

}  // namespace
}  // namespace segments

void gpu_multinomial(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                     std::uint64_t k, std::span<Index> out, RandomState state, Generator generator,
                     cudaStream_t stream, Index* invalid) {
  segments::draw_from_rows(weights, rows, columns, k, out, state, generator, stream, invalid);
}

void gpu_multinomial(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                     std::uint64_t k, std::span<std::uint64_t> out, RandomState state,
                     Generator generator, cudaStream_t stream, Index* invalid) {
  segments::draw_from_rows(weights, rows, columns, k, out, state, generator, stream, invalid);
}

void gpu_choose_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t k, std::span<Index> out, RandomState state,
                          Generator generator, cudaStream_t stream, Index* invalid) {
  segments::choose_from_rows(weights, rows, columns, k, out, state, generator, stream, invalid);
}

void gpu_choose_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t k, std::span<std::uint64_t> out, RandomState state,
                          Generator generator, cudaStream_t stream, Index* invalid) {
  segments::choose_from_rows(weights, rows, columns, k, out, state, generator, stream, invalid);
}

}  // namespace wrsgpu
