// Searches by a warp.
#pragma once

#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The first of the numbers [begin, end) for which `is_before` does not hold, or `end`; it holds
/// for those before that one. Each lane examines one of 32 places at a time. All lanes of the warp
/// must call it.
template <class IsBefore>
[[nodiscard]] __device__ Index warp_partition_point(Index begin, Index end,
                                                    const IsBefore& is_before) {
  while (begin < end) {
    const Index share = (end - begin + 31) / 32;
    const Index last = begin + (threadIdx.x % 32 + 1) * share - 1;
    const unsigned before = __ballot_sync(~0U, last < end && is_before(last));
    begin = min(begin + static_cast<Index>(__popc(before)) * share, end);
    end = min(begin + share - 1, end);
  }
  return begin;
}

/// Upper bound: how many of the first `count` sums, in ascending order, are at most `sum`. Probes
/// around a guess first, at distances of `step`, because each probe waits for memory. All lanes of
/// the warp must call it.
[[nodiscard]] __device__ inline Index count_not_above(const std::uint64_t* sums, Index count,
                                                      std::uint64_t sum, Index guess, Index step) {
  constexpr Index lanes = 32;
  const Index lane = threadIdx.x % lanes;
  Index low = 0;  // lower bound of the result
  Index high = count;
  Index first = guess > step * lanes / 2 ? guess - step * lanes / 2 : 0;
  while (low < high) {
    const Index at = first + step * (lane + 1) - 1;
    const unsigned are = __ballot_sync(~0U, at < high && sums[at] <= sum ? 1 : 0);
    const auto parts = static_cast<Index>(__popc(are));
    if (parts < lanes) high = min(high, first + step * (parts + 1) - 1);
    if (parts > 0) low = first + step * parts;
    first = low;
    step = (high - low + lanes) / (lanes + 1);
  }
  return low;
}

}  // namespace wrsgpu
