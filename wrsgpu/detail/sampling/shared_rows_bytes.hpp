// Shared memory for compact rows, and the criterion for drawing from a table as one section.
#pragma once

#include <cstddef>

#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Shared memory that the driver reserves per block.
inline constexpr std::size_t driver_shared_bytes = 1024;

/// Shared memory for this many compact rows, beginning at any row: one additional row keeps 16-byte
/// copies aligned.
[[nodiscard]] constexpr std::size_t shared_rows_bytes(Index rows) {
  return (std::size_t{rows} + 2) / 2 * 2 * sizeof(CompactRow);
}

/// Maximum number of rows, an even number, that fit in this many bytes (at least 16).
[[nodiscard]] constexpr Index max_shared_rows(std::size_t bytes) {
  return static_cast<Index>(bytes / sizeof(CompactRow) / 2 * 2 - 2);
}
static_assert(shared_rows_bytes(max_shared_rows(1024)) <= 1024 &&
              shared_rows_bytes(max_shared_rows(1024) + 2) > 1024);

/// Whether two blocks with all rows fit in this much shared memory of a multiprocessor.
[[nodiscard]] constexpr bool is_one_section(Index rows, std::size_t multiprocessor_bytes) {
  return shared_rows_bytes(rows) + driver_shared_bytes <= multiprocessor_bytes / 2;
}

}  // namespace wrsgpu
