// Partial p-ary search (thesis 3.1.2, Algorithm 3.1; Algorithm 1 of the report): the threads of a
// block search one list for as many neighbouring queries, jointly while that narrows the range,
// then individually. Independent of alias tables.
#pragma once

#include "construction/split/pivots.hpp"

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
/// last query, which bound the results of all others. It ends when a step leaves more than one
/// part in `reduction` of the range, of p / 8 in thesis 4.4.2. Phase 2: binary search in the
/// remaining range.
template <int p, unsigned reduction = p / 8, class Position, class IsBefore>
[[nodiscard]] __device__ Position block_partial_p_ary_search(Position size, unsigned queries,
                                                             const IsBefore& is_before) {
  static_assert(p >= 32, "small groups narrow the range no faster than binary search");
  static_assert(reduction >= 2, "a step may leave the range as it is");
  const unsigned thread = threadIdx.x;
  PivotRange<p, Position> range{0, size};
  while (range.is_wide()) {
    const Position pivot = range.pivot(thread);
    const bool is_before_all = is_before(pivot, 0U);
    const bool is_behind_all = !is_before_all && !is_before(pivot, queries - 1);
    // The range is bounded by the last pivot before the results of all queries and the first pivot
    // not before any. Counting finds both, since pivots ascend, and broadcasts them to every
    // thread.
    const auto before = static_cast<unsigned>(__syncthreads_count(is_before_all));
    const auto behind = static_cast<unsigned>(__syncthreads_count(is_behind_all));
    if (!range.narrow(before, behind, reduction)) break;
  }
  auto [low, high] = range;
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
