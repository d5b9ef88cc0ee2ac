// Weighted random sampling from many segments, such as the rows of a CSR matrix, on the host;
// gpu_segmented_sampler.cuh is the GPU counterpart.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/segments_view.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Options of `SegmentedSampler` and `GpuSegmentedSampler`.
struct SegmentedSamplerOptions {
  /// Permits segments that are empty or whose weights are all zero. Draws from them give `no_item`.
  bool empty_ok = false;
  /// The generator of the random words.
  Generator generator = Generator::philox;
  /// Number of host threads, 0 for all hardware threads; the results do not depend on it.
  unsigned threads = 0;
};

/// What a draw from segments returns.
struct SegmentedDrawOptions {
  /// Numbers items within their segment, from 0; otherwise over all segments.
  bool local_numbers = false;
  /// If not empty, one number for each item of all segments, which a draw returns in place of the
  /// item's number: neighbours of a graph, for example. Not with `local_numbers`.
  std::span<const Index> payload = {};
  /// If not empty, one element for each segment drawn from, set to the number of its samples that
  /// are not `no_item`.
  std::span<Index> counts = {};
};

/// Draws samples with replacement from given segments: item i of a segment with probability
/// w_i / W, where W is the sum of the weights of that segment. Uses an alias table of 8 bytes per
/// item for each segment. A segment's table depends on its own weights alone.
///
/// Weights are rounded once, to integer masses in units of 2^-32 of the mean weight of their
/// segment. The mass of an item in a segment of d items differs from the exact m = w_i d 2^32 / W
/// by less than 2 + d / 2^16 + m / 2^37 (wrsgpu/detail/segments/segment_masses.hpp has the proof).
/// Everything else is exact: the rows of a segment give each of its items precisely its mass.
///
/// @note Thread safety: `const` members may be called concurrently, but not while another thread
/// rebuilds, assigns or moves from the sampler.
/// @note An `Error` for an invalid argument leaves the sampler unchanged and writes nothing to the
/// caller's buffers.
/// @note A moved-from sampler can only be assigned to or destroyed.
class SegmentedSampler {
 public:
  /// Builds the tables. The arguments need not outlive the call.
  ///
  /// @param segments offsets of the segments, in host memory
  /// @param weights of all segments behind each other, in host memory: up to 2^32 - 2
  /// @param options see `SegmentedSamplerOptions`
  /// @throws Error for offsets that do not begin with 0, decrease or do not end with the number of
  /// weights; for a negative, infinite or NaN weight (the message gives segment, item and value of
  /// the first); and, unless `empty_ok`, for segments that are empty or have only zeros
  /// @throws OutOfMemory when the tables do not fit in memory
  SegmentedSampler(SegmentsView segments, const AnyWeights& weights,
                   const SegmentedSamplerOptions& options = {});

  SegmentedSampler(SegmentedSampler&&) noexcept = default;
  SegmentedSampler& operator=(SegmentedSampler&&) noexcept = default;

  /// Number of segments.
  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  /// Number of items of all segments.
  [[nodiscard]] Index size() const { return size_; }

  /// Rebuilds the tables from other segments, whose number may differ.
  ///
  /// @throws Error as the constructor does; the old tables are kept
  /// @throws OutOfMemory when the tables do not fit in memory; there may be no segments then, until
  /// the next rebuild
  /// @note Allocates only if the memory of earlier tables is too small, apart from 2 MB for each
  /// thread and 40 bytes for 2,048 items of the longest segment.
  void rebuild(SegmentsView segments, const AnyWeights& weights);

  /// Draws `k` independent samples from each of the given segments. Sample j of the t-th segment
  /// given takes word offset + t k + j of the stream `seed`.
  ///
  /// @param from numbers of segments, which may repeat
  /// @param k samples from each of them
  /// @param out from.size() rows of k samples
  /// @param state seed, and offset into the stream of random words: one word per sample
  /// @param options see `SegmentedDrawOptions`
  /// @throws Error for a number that is not that of a segment, and for spans of other sizes
  void draw(std::span<const Index> from, std::uint64_t k, std::span<Index> out, RandomState state,
            const SegmentedDrawOptions& options = {}) const;

  /// Draws `k` independent samples from every segment, as `draw` does.
  void draw_from_all(std::uint64_t k, std::span<Index> out, RandomState state,
                     const SegmentedDrawOptions& options = {}) const;

  /// Chooses `k` different items from each of the given segments, as
  /// `torch.multinomial(replacement=False)` does with a row: the first is item i with probability
  /// w_i / W, the next one item j with probability w_j / (W - w_i), and so on, in this order. Where
  /// fewer have a positive weight, the rest of the row is `no_item`. The t-th segment given takes
  /// the words of row number offset + t of the stream `seed`, which nothing else takes: the items
  /// are the first of those that a larger k gives.
  ///
  /// @param weights those of the last `rebuild`, in host memory
  /// @param from, k, out, options as for `draw`
  /// @param state seed, and offset into the rows of the stream: one for each of `from`
  /// @throws Error as `draw` does, and for another number of weights
  /// @throws OutOfMemory when 16 bytes for each item of a segment, on each thread, do not fit in
  /// memory
  /// @note Uses the weights as given, not the tables: O(d + k log k) time for d items.
  void choose(const AnyWeights& weights, std::span<const Index> from, std::uint64_t k,
              std::span<Index> out, RandomState state,
              const SegmentedDrawOptions& options = {}) const;

  /// Walks on the graph whose vertices are the segments and whose edges are the items. A walk goes
  /// from vertex v to the neighbour that an edge drawn from segment v leads to. Step s of the t-th
  /// walk takes word offset + t length + s of the stream `seed`.
  ///
  /// @param starts the first vertex of each walk
  /// @param length number of steps of each walk
  /// @param neighbours for each item, the vertex that the edge leads to. A walk ends at a vertex
  /// without edges, or without a segment; the rest of its row is `no_item`.
  /// @param out starts.size() rows of length + 1 vertices, beginning with the first one
  /// @param state as for `draw`
  /// @throws Error for a start that is not a vertex, and for spans of other sizes
  void walk(std::span<const Index> starts, std::uint64_t length, std::span<const Index> neighbours,
            std::span<Index> out, RandomState state) const;

  /// The rows of all segments, for verification; aliases are numbered over all segments. The rows
  /// of a segment without weight have `no_item` as alias and threshold 0. The span is valid until
  /// the next rebuild.
  [[nodiscard]] std::span<const CompactRow> rows() const { return rows_.span().first(size_); }

 private:
  SegmentedSamplerOptions options_;
  std::uint64_t segments_ = 0;
  Index size_ = 0;
  HostBuffer<std::uint64_t> offsets_;  // segments() + 1; may be larger
  HostBuffer<CompactRow> rows_;        // size(); may be larger
};

/// Draws `k` independent samples from each row of a matrix of weights, without keeping tables: for
/// weights that are used once. From rows of up to 2,048 columns, or up to 2^13 samples in all,
/// these are drawn by search in prefix sums, which gives other samples than the tables do that are
/// built otherwise. The rounding of the weights is that of `SegmentedSampler`.
///
/// @param weights `rows` times `columns` weights, row by row, in host memory
/// @param rows, columns sizes of the matrix
/// @param k samples from each row
/// @param out `rows` times k numbers of columns
/// @param state as for `SegmentedSampler::draw`
/// @param options see `SegmentedSamplerOptions`
/// @throws Error as `SegmentedSampler` does, naming the row as segment, and for spans of other
/// sizes
/// @throws OutOfMemory when the tables do not fit in memory
void multinomial(const AnyWeights& weights, std::uint64_t rows, std::uint64_t columns,
                 std::uint64_t k, std::span<Index> out, RandomState state,
                 const SegmentedSamplerOptions& options = {});

/// Chooses `k` different columns from each row of a matrix of weights, without tables: row t as
/// `SegmentedSampler::choose` does for the t-th segment given.
///
/// @param weights, rows, columns, out, options as for `multinomial`
/// @param k columns from each row
/// @param state as for `SegmentedSampler::choose`
/// @throws Error as `multinomial` does
/// @throws OutOfMemory as `SegmentedSampler::choose` does
void choose_from_rows(const AnyWeights& weights, std::uint64_t rows, std::uint64_t columns,
                      std::uint64_t k, std::span<Index> out, RandomState state,
                      const SegmentedSamplerOptions& options = {});

}  // namespace wrsgpu
