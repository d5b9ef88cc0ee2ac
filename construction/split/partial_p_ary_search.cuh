// Partial p-ary search (thesis 3.1.2, Algorithm 3.1; Algorithm 1 of the report): the threads of a
// block search one list for as many neighbouring queries, jointly while that narrows the range,
// then individually. Independent of alias tables.
#pragma once

#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// For each thread of a block of p threads, returns the first position in [0, size] at which
/// `is_before(position, query)` is false, where `query` is the index of the thread. `is_before`
/// must be monotone: from true to false as the position grows, and, for every position, from false
/// to true as the query grows. Otherwise (rounded sums may violate this) the result is some
/// position in [0, size], the same on every run. All threads must call it. `queries`, the number of
/// threads that have a query, is at least 1 and the same for all; the result of the other threads
/// is undefined.
///
/// Phase 1: the p threads test p positions distributed over the range against the first and the
/// last query, which bound the results of all others. It ends when a step leaves more than 8 / p of
/// the range (thesis 4.4.2). Phase 2: binary search in the remaining range.
template <int p, class Position, class IsBefore>
[[nodiscard]] __device__ Position block_partial_p_ary_search(Position size, unsigned queries,
                                                             const IsBefore& is_before) {
  static_assert(p >= 32, "small groups narrow the range no faster than binary search");
  const unsigned thread = threadIdx.x;
  Position low = 0;
  Position high = size;
  while (high - low > static_cast<Position>(p)) {
    const Position length = high - low;
    // Pivots are inside the range, so that every step narrows it.
    const auto pivot = [low, length](unsigned which) {
      return low + static_cast<Position>(std::uint64_t{length} * (which + 1) / (p + 1));
    };
    const bool is_before_all = is_before(pivot(thread), 0U);
    const bool is_behind_all = !is_before_all && !is_before(pivot(thread), queries - 1);
    // The range is bounded by the last pivot before the results of all queries and the first pivot
    // not before any. Counting finds both, since pivots ascend, and broadcasts them to every
    // thread.
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
