// What compact rows take of shared memory, and which tables are drawn from as one section.
#pragma once

#include <cstddef>

#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// What the driver takes for itself of a multiprocessor's shared memory with each block.
inline constexpr std::size_t driver_shared_bytes = 1024;

/// Shared memory that so many compact rows take, from any row on: a row before the first keeps
/// copies of 16 bytes aligned.
[[nodiscard]] constexpr std::size_t shared_rows_bytes(Index rows) {
  return (std::size_t{rows} + 2) / 2 * 2 * sizeof(CompactRow);
}

/// The most rows, an even number, that so many bytes (at least 16) are enough for.
[[nodiscard]] constexpr Index max_shared_rows(std::size_t bytes) {
  return static_cast<Index>(bytes / sizeof(CompactRow) / 2 * 2 - 2);
}
static_assert(shared_rows_bytes(max_shared_rows(1024)) <= 1024 &&
              shared_rows_bytes(max_shared_rows(1024) + 2) > 1024);

/// Whether two blocks have room for all rows on a multiprocessor with so much shared memory.
[[nodiscard]] constexpr bool is_one_section(Index rows, std::size_t multiprocessor_bytes) {
  return shared_rows_bytes(rows) + driver_shared_bytes <= multiprocessor_bytes / 2;
}

}  // namespace wrsgpu
