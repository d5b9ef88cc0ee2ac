// What the twins share.
#pragma once

#include <cstdint>
#include <filesystem>

#include "wrsgpu/detail/table/table_options.hpp"

namespace wrsgpu::detail {

/// The tables of samplers: exact, 8 bytes an item.
[[nodiscard]] TableOptions sampler_table_options(unsigned threads);

/// Throws `Error` unless a histogram of `samples` samples of `items` items goes into `counts`
/// counts.
void require_histogram(std::uint64_t counts, Index items, std::uint64_t samples);

/// Throws the `Error` of a sampler that has no table.
[[noreturn]] void throw_no_table();

/// Throws the `Error` of a sampler whose options did not ask for probabilities.
[[noreturn]] void throw_no_probabilities();

/// The fixed-point table in a file, whatever its layout, in compact rows. Throws what `load_table`
/// throws, and `Error` for tables of floating-point arithmetic.
[[nodiscard]] HostTable load_compact_table(const std::filesystem::path& file);

}  // namespace wrsgpu::detail
