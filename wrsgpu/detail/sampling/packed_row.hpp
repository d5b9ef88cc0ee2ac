// A compact row in half of its size.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// A row in 4 bytes: the alias in the low bits, as many as the number of items needs, and the
/// leading bits of the threshold in the others.
class PackedRow {
 public:
  /// Mask of the bits of an alias in a table of `size` rows.
  [[nodiscard]] WRSGPU_HD static constexpr Index alias_mask(Index size) {
    Index mask = size - 1;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    return mask;
  }
  [[nodiscard]] WRSGPU_HD static constexpr Index pack(const CompactRow& row, Index mask) {
    return (row.threshold & ~mask) | row.alias;
  }
  /// Whether the leading bits of variate and threshold are equal, so that the full threshold is
  /// needed. Otherwise the variate is less than the threshold if and only if it is less than the
  /// packed row.
  [[nodiscard]] WRSGPU_HD static constexpr bool is_tie(Index packed, Index variate, Index mask) {
    return (packed ^ variate) <= mask;
  }
  [[nodiscard]] WRSGPU_HD static constexpr Index alias(Index packed, Index mask) {
    return packed & mask;
  }
};

}  // namespace wrsgpu
