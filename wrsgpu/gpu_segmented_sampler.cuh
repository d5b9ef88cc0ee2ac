// Weighted random sampling from many segments on the GPU; segmented_sampler.hpp is the host
// counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/segmented_sampler.hpp"
#include "wrsgpu/segments_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

namespace segments {
class DeviceSegmentTables;
}

/// The GPU counterpart of `SegmentedSampler`, with the tables in device memory: the same tables,
/// bit for bit, and the same samples. Takes 8 bytes per item and 4 per segment for tables, and 12
/// per item of temporary memory, which it keeps until `release_temporary_memory`.
///
/// A sampler is bound to the device that is current when it is constructed. That device must be
/// current in every later call.
///
/// @note `rebuild` on a stream, `draw`, `draw_from_all` and `walk` are asynchronous: they only
/// launch work on the stream, allocate nothing and can be captured in a CUDA graph. In Debug builds
/// every launch synchronises.
/// @note The caller is responsible for the order of work on different streams: a draw must not
/// overlap a rebuild.
/// @note A moved-from sampler can only be assigned to or destroyed.
class GpuSegmentedSampler {
 public:
  /// Builds the tables. The arguments need not outlive the call.
  ///
  /// @param segments offsets of the segments, in host memory, or in device memory
  /// (`SegmentsView::on_device`)
  /// @param weights of all segments behind each other, likewise: up to 2^32 - 2
  /// @param options see `SegmentedSamplerOptions`; `threads` is ignored
  /// @throws Error as `SegmentedSampler` does, and without a GPU
  /// @throws OutOfMemory when the tables do not fit in memory
  /// @note Synchronous.
  GpuSegmentedSampler(SegmentsView segments, const AnyWeights& weights,
                      const SegmentedSamplerOptions& options = {});

  GpuSegmentedSampler(GpuSegmentedSampler&&) noexcept;
  GpuSegmentedSampler& operator=(GpuSegmentedSampler&&) noexcept;
  ~GpuSegmentedSampler();

  /// Number of segments; 0 after an `Error` of `rebuild` or `finish`, until the next rebuild.
  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  /// Number of items of all segments.
  [[nodiscard]] Index size() const { return size_; }
  /// Maximum number of segments and of items for `rebuild` on a stream.
  [[nodiscard]] std::uint64_t segment_capacity() const;
  [[nodiscard]] Index capacity() const;

  /// Rebuilds the tables from other segments, whose number may differ.
  ///
  /// @throws Error as the constructor does; the sampler then has no segments
  /// @throws OutOfMemory when the tables do not fit in memory; the sampler then has no segments
  /// @note Synchronises the device before and after the build. Allocates, and invalidates graphs,
  /// if the capacity is too small.
  void rebuild(SegmentsView segments, const AnyWeights& weights);

  /// Rebuilds the tables in stream order. `finish` reports invalid arguments. Until then invalid
  /// weights count as 0, segments without weight give `no_item`, and so do all segments if an
  /// offset is invalid.
  ///
  /// @param segments in device memory or of equal length, up to `segment_capacity()`; must not
  /// change before `finish`
  /// @param weights in device memory, up to `capacity()`; likewise
  /// @param stream the stream on which the work is launched
  /// @throws Error for other sizes and for host memory
  /// @note Asynchronous; no allocation, but in the first call after `release_temporary_memory`. A
  /// graph that captured it builds from the same addresses and numbers.
  void rebuild(SegmentsView segments, WeightsView weights, cudaStream_t stream);

  /// Frees the temporary memory of builds. The next `rebuild` allocates it again, also during a
  /// capture, and throws `OutOfMemory` if that fails.
  ///
  /// @note Synchronises the device. Graphs that captured a rebuild become invalid.
  void release_temporary_memory();

  /// Synchronises `stream`, and reports the outcome of the last `rebuild` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @throws Error for invalid arguments, as the constructor does, and if there was no rebuild on a
  /// stream since the last synchronous one. In the first case the sampler has no segments until the
  /// next rebuild.
  void finish(cudaStream_t stream);

  /// Draws `k` independent samples from each of the given segments; see `SegmentedSampler::draw`. A
  /// number that is not that of a segment gives `no_item`.
  ///
  /// @param from, out, options spans in device memory
  /// @param k, state as on the host
  /// @param stream the stream on which the work is launched
  /// @throws Error for spans of other sizes or in host memory
  /// @note Asynchronous; no allocation.
  void draw(std::span<const Index> from, std::uint64_t k, std::span<Index> out, RandomState state,
            const SegmentedDrawOptions& options = {}, cudaStream_t stream = nullptr) const;

  /// Draws `k` independent samples from every segment, as `draw` does.
  void draw_from_all(std::uint64_t k, std::span<Index> out, RandomState state,
                     const SegmentedDrawOptions& options = {}, cudaStream_t stream = nullptr) const;

  /// Chooses `k` different items from each of the given segments; see `SegmentedSampler::choose`. A
  /// number that is not that of a segment gives `no_item`.
  ///
  /// @param weights those of the last `rebuild`, in device memory
  /// @param from, out, options spans in device memory
  /// @param k, state as on the host
  /// @param stream the stream on which the work is launched
  /// @throws Error for spans of other sizes or in host memory
  /// @note Asynchronous; no allocation. A warp chooses from up to 256 items, else a block, which
  /// reads the weights once for each 1,024 items chosen.
  void choose(WeightsView weights, std::span<const Index> from, std::uint64_t k,
              std::span<Index> out, RandomState state, const SegmentedDrawOptions& options = {},
              cudaStream_t stream = nullptr) const;

  /// Walks on a graph; see `SegmentedSampler::walk`. A start that is not a vertex ends its walk.
  ///
  /// @param starts, neighbours, out spans in device memory
  /// @param length, state as on the host
  /// @param stream the stream on which the work is launched
  /// @throws Error for spans of other sizes or in host memory
  /// @note Asynchronous; no allocation.
  void walk(std::span<const Index> starts, std::uint64_t length, std::span<const Index> neighbours,
            std::span<Index> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Copies the rows of all segments to the host, for verification; see `SegmentedSampler::rows`.
  ///
  /// @note Synchronises the device.
  [[nodiscard]] HostBuffer<CompactRow> rows_to_host() const;

 private:
  void draw_rows(const Index* from, std::uint64_t count, std::uint64_t k, std::span<Index> out,
                 RandomState state, const SegmentedDrawOptions& options, cudaStream_t stream) const;

  SegmentedSamplerOptions options_;
  std::uint64_t segments_ = 0;
  Index size_ = 0;
  std::unique_ptr<segments::DeviceSegmentTables> tables_;        // null if moved from
  std::optional<std::pair<SegmentsView, WeightsView>> pending_;  // of the last rebuild on a stream
};

/// The GPU counterpart of `multinomial`: draws from each row of a matrix of weights in device
/// memory, and gives the same samples. Invalid weights count as 0; rows without weight give
/// `no_item`, or all bits of 64.
///
/// @param weights `rows` times `columns` weights, row by row, in device memory
/// @param rows, columns sizes of the matrix
/// @param k samples from each row
/// @param out `rows` times k numbers of columns, in device memory
/// @param state, generator as on the host
/// @param stream the stream on which the work is launched
/// @param invalid if given, a number that the device can write, in its memory or in page-locked
/// memory: set to 1 if a weight is invalid or a row has no weight, and otherwise left as it is
/// @throws Error for spans of other sizes or in host memory, and for segments as long as
/// `SegmentedSampler` refuses
/// @throws OutOfMemory when the tables of more than 2^13 samples from rows of more than 2,048
/// columns do not fit in memory
/// @note Asynchronous and without allocation for up to 2,048 columns; with memory of a pool, in
/// stream order, for up to 2^13 samples; otherwise synchronous.
void gpu_multinomial(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                     std::uint64_t k, std::span<Index> out, RandomState state,
                     Generator generator = Generator::philox, cudaStream_t stream = nullptr,
                     Index* invalid = nullptr);
void gpu_multinomial(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                     std::uint64_t k, std::span<std::uint64_t> out, RandomState state,
                     Generator generator = Generator::philox, cudaStream_t stream = nullptr,
                     Index* invalid = nullptr);

/// The GPU counterpart of `choose_from_rows`, with the remarks of `gpu_multinomial`: weights that
/// are not positive are never chosen. `invalid` is also set to 1 if a row has fewer than `k`
/// positive weights.
///
/// @note Asynchronous; no allocation.
void gpu_choose_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t k, std::span<Index> out, RandomState state,
                          Generator generator = Generator::philox, cudaStream_t stream = nullptr,
                          Index* invalid = nullptr);
void gpu_choose_from_rows(WeightsView weights, std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t k, std::span<std::uint64_t> out, RandomState state,
                          Generator generator = Generator::philox, cudaStream_t stream = nullptr,
                          Index* invalid = nullptr);

}  // namespace wrsgpu
