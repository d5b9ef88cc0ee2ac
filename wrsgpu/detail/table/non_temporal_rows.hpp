// Compact rows written by non-temporal stores.
#pragma once

#include <array>
#include <cstdint>

#include "wrsgpu/detail/core/non_temporal_stores.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// Whether rows from `begin` on are written by non-temporal stores, one cache line at a time.
[[nodiscard]] inline bool rows_use_non_temporal_stores(const CompactRows& rows, Index begin) {
  return uses_non_temporal_stores(rows.size() * sizeof(CompactRow)) &&
         reinterpret_cast<std::uintptr_t>(rows.data() + begin) % 64 == 0;
}

/// Stores `row_of(k)` as row `begin + k`, for all k < `count`, in this way.
template <Index count, class RowOf>
void store_by_non_temporal_stores(const CompactRows& rows, Index begin, const RowOf& row_of) {
  alignas(64) std::array<CompactRow, count> made;
  for (Index k = 0; k < count; ++k) made[k] = row_of(k);
  copy_by_non_temporal_stores(made.data(), rows.data() + begin, sizeof made);
}

}  // namespace wrsgpu
