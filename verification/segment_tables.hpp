// Exact verification of the tables of segments (wrsgpu/segmented_sampler.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::verification {

/// What is wrong with masses of weights of which some are positive, or "": a mass outside its bound
/// (wrsgpu/detail/segments/segment_masses.hpp), one of an item without weight, or another sum than
/// the number of items times 2^32.
[[nodiscard]] std::string fault_of_masses(const WeightsView& weights,
                                          std::span<const std::uint64_t> masses);

/// What is wrong with the rows of a segment that begins with item `first`, or "": an alias outside
/// the segment, or an item that does not get exactly its mass.
[[nodiscard]] std::string fault_of_rows(std::span<const CompactRow> rows, std::uint64_t first,
                                        std::span<const std::uint64_t> masses);

/// What is wrong with the rows of any of the segments of these weights, or "". Segments without
/// weight have rows without items. By all threads.
[[nodiscard]] std::string fault_of_segments(std::span<const std::uint64_t> offsets,
                                            const WeightsView& weights,
                                            std::span<const CompactRow> rows);

}  // namespace wrsgpu::verification
