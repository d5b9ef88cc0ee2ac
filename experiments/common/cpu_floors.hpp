// What the host's memory allows at best, measured in the same run as the methods.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::experiments {

/// Reads the weights and writes a 16-byte row for each, past the cache where the processor can: the
/// least that a construction of wide rows moves.
void copy_floor(std::span<const double> weights, std::span<WideRow> rows, unsigned threads);

/// Reads the row of a pseudorandom item for each sample, prefetched in batches, and writes 4 bytes:
/// the least that a sampler of wide rows moves. The items are hashes of the samples' numbers.
void gather_floor(std::span<const WideRow> rows, std::span<Index> out, unsigned threads);

/// Median time of `copy_floor` for `items`, measured at the first call and remembered.
[[nodiscard]] double copy_floor_seconds(std::uint64_t items, unsigned threads);
/// The same for `gather_floor`.
[[nodiscard]] double gather_floor_seconds(std::uint64_t items, std::uint64_t samples,
                                          unsigned threads);

}  // namespace wrsgpu::experiments
