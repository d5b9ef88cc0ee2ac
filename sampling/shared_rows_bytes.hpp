// Which tables are drawn from as one section.
#pragma once

#include <cstddef>

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// Shared memory that so many compact rows take, from any row on: a row before the first keeps
/// copies of 16 bytes aligned.
[[nodiscard]] constexpr std::size_t shared_rows_bytes(Index rows) {
  return (std::size_t{rows} + 2) / 2 * 2 * sizeof(CompactRow);
}

/// Whether two blocks have room for all rows on a multiprocessor with so much shared memory, of
/// which the system takes a part for each block.
[[nodiscard]] constexpr bool is_one_section(Index rows, std::size_t multiprocessor_bytes) {
  constexpr std::size_t system_bytes = 1024;
  return shared_rows_bytes(rows) + system_bytes <= multiprocessor_bytes / 2;
}

}  // namespace wrsgpu
