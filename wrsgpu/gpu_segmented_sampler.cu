#include "wrsgpu/gpu_segmented_sampler.cuh"

#include <algorithm>
#include <optional>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/sampling/split_word_loops.hpp"
#include "wrsgpu/detail/segments/choose_from_segments.cuh"
#include "wrsgpu/detail/segments/device_segments.cuh"
#include "wrsgpu/detail/segments/draw_from_segments.cuh"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"

namespace wrsgpu {

namespace segments {
namespace {

/// Reports what a build found.
__global__ void report_status(const SegmentStatus* status, Index* invalid) {
  if (status->has_found_invalid()) *invalid = 1;
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
  // If most segments are not for a warp, a block takes them one by one.
  const bool are_long = weights.size() / std::max<std::uint64_t>(segments, 1) > warp_clocks;
  const unsigned block_rows = are_long ? 1 : draw_threads / 32;
  const unsigned blocks = capped_blocks_for(rows, block_rows, blocks_that_fill(draw_threads) * 8);
  weights.visit([&]<class T>(std::span<const T> w) {
    with_split_words(
        rounds_of(generator), seed, [&]<int rounds>(const random::SplitWords<rounds>&) {
          choose_from_segments<rounds><<<blocks, draw_threads, 0, stream>>>(ChoiceTask<T, Offsets>{
              w.data(), offsets, status, segments, rows, block_rows, seed, task});
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

void GpuSegmentedSampler::release_temporary_memory() { tables_->release_temporary(); }

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
  // Each step reads an offset, a row and a neighbour. Most of what is read again and fits in the
  // cache stays there if the others leave it first.
  const auto cache = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
  const segments::ReadOnce once{.rows = size_ * sizeof(CompactRow) > cache,
                                .neighbours = segments_ * sizeof(Index) > cache / 8};
  with_split_words(segments::rounds_of(options_.generator), state.seed,
                   [&]<int rounds>(const random::SplitWords<rounds>& words) {
                     constexpr unsigned threads = segments::draw_threads;
                     segments::walk_on_segments<rounds>
                         <<<blocks_for(starts.size(), threads), threads, 0, stream>>>(
                             words, tables, starts.data(), starts.size(), length, neighbours.data(),
                             once, state.offset, out.data());
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

/// Draws from rows of more than one part, without tables.
void search_rows(std::uint64_t rows, const WeightsView& weights, Index columns,
                 const DrawTask& task, Generator generator, std::uint64_t seed,
                 cudaStream_t stream) {
  const auto find_masses = [&](DeviceArena& arena) {
    return find_masses_of_parts(rows, weights, task.invalid == nullptr, arena, stream);
  };
  DeviceArena sizes;
  static_cast<void>(find_masses(sizes));
  const PoolBuffer<std::byte> storage(sizes.used(), stream);
  DeviceArena arena({storage.data(), sizes.used()});
  const DeviceSegments masses = find_masses(arena);
  const auto samples = static_cast<Index>(task.samples);
  const unsigned of_block =
      std::min(block_threads, blocks_for(samples, blocks_that_fill(block_threads)));
  weights.visit([&]<class T>(std::span<const T> w) {
    with_split_words(
        rounds_of(generator), seed, [&]<int rounds>(const random::SplitWords<rounds>& words) {
          draw_by_search<T, rounds><<<blocks_for(samples, of_block), block_threads, 0, stream>>>(
              words, w.data(), masses, columns, of_block, task);
          check_launch("draw_by_search");
        });
  });
}

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
    if (task->samples <= max_searched_samples) {
      return search_rows(rows, weights, static_cast<Index>(columns), *task, generator, state.seed,
                         stream);
    }
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
