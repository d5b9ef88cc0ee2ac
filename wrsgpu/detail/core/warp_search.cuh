// Search by a warp.
#pragma once

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

}  // namespace wrsgpu
