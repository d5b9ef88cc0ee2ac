// The narrowing of a range by p pivots at a time, for the partial p-ary search (thesis 3.1.2).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::split {

/// The positions [low, high] that a search may still return.
template <int p, class Position>
struct PivotRange {
  Position low;
  Position high;

  /// Whether there are more positions than pivots.
  [[nodiscard]] WRSGPU_HD bool is_wide() const { return high - low > static_cast<Position>(p); }

  /// Position of pivot `which` of p, which are inside the range, so that every step narrows it.
  [[nodiscard]] WRSGPU_HD Position pivot(unsigned which) const {
    return low + static_cast<Position>(std::uint64_t{high - low} * (which + 1) / (p + 1));
  }

  /// Removes what the first `before` pivots, which are before the results of all queries, and the
  /// last `behind`, which are behind all, exclude. Returns whether at most one part in `reduction`
  /// is left.
  WRSGPU_HD bool narrow(unsigned before, unsigned behind, unsigned reduction) {
    const PivotRange old = *this;
    if (before > 0) low = old.pivot(before - 1) + 1;
    if (behind > 0) high = old.pivot(p - behind);
    return std::uint64_t{high - low} * reduction <= old.high - old.low;
  }
};

}  // namespace wrsgpu::split
