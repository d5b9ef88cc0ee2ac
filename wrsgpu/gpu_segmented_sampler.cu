#include "wrsgpu/gpu_segmented_sampler.cuh"

#include <algorithm>
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

/// What to draw.
struct DrawTask {
  const Index* from;  ///< null for every segment
  std::uint64_t k;
  std::uint64_t samples;
  std::uint64_t offset;
  ItemNames names;
  Index* out;
  Index* counts;  ///< may be null
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
      __stcs(task.out + (place - skipped), task.names(item[s], segment[s]));
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
template <class T, int rounds>
__global__ void __launch_bounds__(block_threads, 4)
    draw_from_matrix(const __grid_constant__ random::SplitWords<rounds> words, const T* weights,
                     std::uint64_t rows, Index columns, std::uint64_t k, std::uint64_t offset,
                     Index* out) {
  __shared__ SegmentStorage<T> storage;
  const Index most = block_items / columns;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * most;
  const auto count = static_cast<Index>(min(std::uint64_t{most}, rows - first));
  SegmentBlock<T> block(storage, 0, count * columns);
  block.load(weights + first * columns, [](Index) {});
  for (Index row = threadIdx.x; row < count; row += block_threads) block.mark_head(row * columns);
  const std::uint64_t sum = block.sum_weights();
  block.find_masses(sum, [](Index) {});
  const std::uint64_t* const prefix = block.write_prefix_masses();
  const std::uint64_t begin = first * k;
  for (std::uint64_t i = threadIdx.x; i < count * k; i += block_threads) {
    const Index row = static_cast<Index>(i / k);
    __stcs(out + begin + i,
           find_item(prefix + row * columns, columns, words.word(offset + begin + i)));
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
  segments::check_draw(count, k, out.size(), size_, options);
  segments::require_span_on_device(out, "out");
  segments::require_span_on_device(options.payload, "payload");
  segments::require_span_on_device(options.counts, "counts");
  if (out.empty()) {
    if (options.counts.empty()) return;
    WRSGPU_CUDA_CHECK(
        cudaMemsetAsync(options.counts.data(), 0, options.counts.size_bytes(), stream));
    return;
  }
  const segments::ItemNames names{options.local_numbers,
                                  options.payload.empty() ? nullptr : options.payload.data()};
  Index* const counts = options.counts.empty() ? nullptr : options.counts.data();
  segments::launch_draw(segments::drawn(*tables_, segments_),
                        {from, k, out.size(), state.offset, names, out.data(), counts},
                        options_.generator, state.seed, stream);
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

void gpu_multinomial(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                     std::uint64_t k, std::span<Index> out, RandomState state, Generator generator,
                     cudaStream_t stream) {
  const SegmentsView matrix = SegmentsView::equal(rows, columns);
  segments::check_draw(rows, k, out.size(), 0, {});
  segments::require_device_arguments(matrix, weights);
  segments::require_span_on_device(out, "out");
  if (out.empty()) return;
  if (columns == 0) {  // every byte of no_item is 0xFF
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(out.data(), 0xFF, out.size_bytes(), stream));
    return;
  }
  if (columns > segments::block_items) {
    segments::DeviceSegmentTables tables(rows, static_cast<Index>(weights.size()));
    tables.build(matrix, weights, true, stream);
    segments::launch_draw(
        segments::drawn(tables, rows),
        {nullptr, k, out.size(), state.offset, {true, nullptr}, out.data(), nullptr}, generator,
        state.seed, stream);
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    return;
  }
  weights.visit([&]<class T>(std::span<const T> w) {
    with_split_words(segments::rounds_of(generator), state.seed,
                     [&]<int rounds>(const random::SplitWords<rounds>& words) {
                       const auto of_row = static_cast<Index>(columns);
                       segments::draw_from_matrix<T, rounds>
                           <<<blocks_for(rows, segments::block_items / of_row),
                              segments::block_threads, 0, stream>>>(words, w.data(), rows, of_row,
                                                                    k, state.offset, out.data());
                       check_launch("draw_from_matrix");
                     });
  });
}

}  // namespace wrsgpu
