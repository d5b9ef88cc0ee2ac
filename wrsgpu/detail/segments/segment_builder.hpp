// Alias tables of segments (segment_rows.hpp), on host threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/segments_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::segments {

/// Throws the `Error`s of `SegmentedSampler`'s constructor, for arguments in the memory of
/// `device`: those that need not read this memory.
void check_sizes(const SegmentsView& segments, const WeightsView& weights, Device device);

/// A segment that all threads build together, and step 1 of segment_masses.hpp for its parts.
struct LongSegment {
  std::uint64_t number;
  std::vector<TileSum> sums;
};

/// Throws the other `Error`s of that constructor, for arguments in host memory. Returns the long
/// segments.
std::vector<LongSegment> check_segments(const SegmentsView& segments, const WeightsView& weights,
                                        bool empty_ok, unsigned threads);

/// The `Error`s for segment `segment`: its end is `end`, less than its beginning or more than
/// `items`, or it is the last one and ends elsewhere; and that its weight `weight` at `item` is
/// invalid, or that it has no weight.
[[noreturn]] void throw_bad_offset(std::uint64_t segment, std::uint64_t begin, std::uint64_t end,
                                   std::uint64_t items);
[[noreturn]] void throw_bad_item(std::uint64_t segment, std::uint64_t begin, std::uint64_t item,
                                 double weight, int digits);
[[noreturn]] void throw_no_weight(std::uint64_t segment, std::uint64_t begin, std::uint64_t end);

/// Writes the masses of one segment with valid weights (segment_masses.hpp). They add up to the
/// number of items times 2^32, or are all 0 if the weights are.
void write_segment_masses(const WeightsView& weights, std::span<std::uint64_t> masses,
                          unsigned threads = 1);

/// Writes the inclusive prefix sums of these masses, for a segment of at most one part.
void write_prefix_masses(const WeightsView& weights, std::span<std::uint64_t> sums);

/// Finds the columns that `words` select from the rows of a matrix, as many words for each row, by
/// search in the prefix sums of the masses; `no_item` in a row without weight. Rows have more than
/// one part, and valid weights; `long_rows` is what `check_segments` returned.
void find_items(const WeightsView& weights, std::uint64_t rows,
                std::span<const LongSegment> long_rows, std::span<const std::uint64_t> words,
                std::span<Index> items, unsigned threads);

/// Makes the rows of all segments; segment s has the items [offsets[s], offsets[s + 1]). The
/// arguments are valid; `long_segments` is what `check_segments` returned.
void build_segments(std::span<const std::uint64_t> offsets, const WeightsView& weights,
                    std::span<const LongSegment> long_segments, CompactRow* rows, unsigned threads);

}  // namespace wrsgpu::segments
