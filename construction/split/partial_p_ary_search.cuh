// Partial p-ary search (thesis 3.1.2, Algorithm 3.1; Algorithm 1 of the report): the threads of a
// block search one list for as many neighbouring queries, together while that narrows the range,
// then each by itself. A search of its own, apart from alias tables.
#pragma once

#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// For each thread of a block of p threads, the first position in [0, size] at which
/// `is_before(position, query)` is false, `query` being the thread's own number. `is_before` must
/// turn from true to false once as the position grows, and for every position from false to true
/// once as the query grows. Otherwise (rounded sums may violate this) the result is some position
/// in [0, size], the same on every run. Every thread must call it; `queries`, the number of threads
/// that have a query, is at least 1 and the same for all. The result of the other threads is
/// undefined.
///
/// Phase 1: the p threads test p positions spread over the range against the first and the last
/// query, which bound those of all others. It ends when a step leaves more than 8 / p of the range
/// (thesis 4.4.2). Phase 2: binary search in the remaining range.
template <int p, class Position, class IsBefore>
[[nodiscard]] __device__ Position block_partial_p_ary_search(Position size, unsigned queries,
                                                             const IsBefore& is_before) {
  static_assert(p >= 32, "small groups narrow the range no faster than binary search");
  const unsigned thread = threadIdx.x;
  Position low = 0;
  Position high = size;
  while (high - low > static_cast<Position>(p)) {
    const Position length = high - low;
    // Pivots inside of the range, so that every step narrows it.
    const auto pivot = [low, length](unsigned which) {
      return low + static_cast<Position>(std::uint64_t{length} * (which + 1) / (p + 1));
    };
    const bool is_before_all = is_before(pivot(thread), 0U);
    const bool is_behind_all = !is_before_all && !is_before(pivot(thread), queries - 1);
    // The last pivot before the results of all queries and the first one not before any bound the
    // range. Counting finds both, since pivots ascend, and broadcasts them to every thread.
    const auto before = static_cast<unsigned>(__syncthreads_count(is_before_all));
    const auto behind = static_cast<unsigned>(__syncthreads_count(is_behind_all));
    if (before > 0) low = pivot(before - 1) + 1;
    if (behind > 0) high = pivot(p - behind);
    if (std::uint64_t{high - low} * (p / 8) > length) break;
  }
  if (thread >= queries) return low;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (is_before(middle, thread)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace wrsgpu::split
