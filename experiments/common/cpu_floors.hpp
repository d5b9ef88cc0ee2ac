// Lower bounds by the host's memory, measured in the same run as the methods.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::experiments {

/// Reads the weights and writes a 16-byte row for each, with non-temporal stores if the processor
/// supports them: the minimum memory traffic of a construction of wide rows.
void copy_floor(std::span<const double> weights, std::span<WideRow> rows, unsigned threads);

/// Reads the row of a pseudorandom item for each sample, prefetched in batches, and writes 4 bytes:
/// the minimum memory traffic of a sampler of wide rows. The items are hashes of the sample
/// numbers.
void gather_floor(std::span<const WideRow> rows, std::span<Index> out, unsigned threads);

/// Median time of `copy_floor` for `items`, measured at the first call and cached.
[[nodiscard]] double copy_floor_seconds(std::uint64_t items, unsigned threads);
/// The same for `gather_floor`.
[[nodiscard]] double gather_floor_seconds(std::uint64_t items, std::uint64_t samples,
                                          unsigned threads);

}  // namespace wrsgpu::experiments
