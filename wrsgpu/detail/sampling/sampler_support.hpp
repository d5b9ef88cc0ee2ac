// What the twins share.
#pragma once

#include <cstdint>
#include <filesystem>

#include "wrsgpu/detail/table/table_options.hpp"

namespace wrsgpu::detail {

/// The tables of samplers: of integer masses, 8 bytes an item.
[[nodiscard]] TableOptions sampler_table_options(unsigned threads);

/// Throws `Error` unless a histogram of `items` items goes into `counts` counts.
void require_counts(std::uint64_t counts, Index items);

/// Throws the `Error` of a sampler that has no table.
[[noreturn]] void throw_no_table();

/// Throws the `Error` of a sampler whose options did not ask for probabilities.
[[noreturn]] void throw_no_probabilities();

/// The fixed-point table in a file, whatever its layout, in compact rows. Throws what `load_table`
/// throws, and `Error` for tables of floating-point arithmetic.
[[nodiscard]] HostTable load_compact_table(const std::filesystem::path& file);

}  // namespace wrsgpu::detail
