// Partial p-ary search (thesis 3.1.2, Algorithm 3.1; Algorithm 1 of the report): the threads of a
// block search one list for as many neighbouring queries, together while that narrows the range,
// then each by itself. A search of its own, apart from alias tables.
#pragma once

#include <cstdint>

#include "wrsgpu/core/types.hpp"

namespace wrsgpu::split {

/// What the block shares during a search.
template <int p, class Position>
struct PartialPArySearchStorage {
  Position low;
  Position high;
  signed char side[p];  ///< of each thread's pivot: all queries end behind it (-1), before it (1)
};

/// For each thread of a block of p threads, the first position in [0, size] at which
/// `is_before(position, query)` is false, `query` being the thread's own number. `is_before` must
/// turn from true to false once as the position grows, and for every position from false to true
/// once as the query grows. Every thread must call it; `queries`, the number of threads that have a
/// query, is at least 1 and the same for all. The result of the other threads is undefined.
///
/// Phase 1: the p threads test p positions spread over the range against the first and the last
/// query, which bound those of all others. It ends when a step leaves more than 8 / p of the range
/// (thesis 4.4.2). Phase 2: binary search in what is left.
template <int p, class Position, class IsBefore>
[[nodiscard]] __device__ Position
block_partial_p_ary_search(PartialPArySearchStorage<p, Position>& shared, Position size,
                           unsigned queries, const IsBefore& is_before) {
  static_assert(p >= 32, "small groups narrow the range no faster than binary search");
  const unsigned thread = threadIdx.x;
  Position low = 0;
  Position high = size;
  while (high - low > static_cast<Position>(p)) {
    const Position length = high - low;
    // Pivots inside of the range, so that every step narrows it.
    const Position pivot =
        low + static_cast<Position>(std::uint64_t{length} * (thread + 1) / (p + 1));
    const bool all_behind = is_before(pivot, 0U);
    const bool all_before = !all_behind && !is_before(pivot, queries - 1);
    shared.side[thread] = static_cast<signed char>(all_before - all_behind);
    if (thread == 0) {
      shared.low = low;
      shared.high = high;
    }
    __syncthreads();
    // The last pivot before all queries and the first behind them bound the range.
    if (all_behind && (thread + 1 == p || shared.side[thread + 1] != -1)) shared.low = pivot + 1;
    if (all_before && (thread == 0 || shared.side[thread - 1] != 1)) shared.high = pivot;
    __syncthreads();
    low = shared.low;
    high = shared.high;
    __syncthreads();
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
