// Brown's method (Brown, Calahan and Martin 1981; thesis 2.5), as samplers read it on the CPU and
// the GPU.
#pragma once

#include <cstddef>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// An alias table in which a comparison selects an address instead of a value: row i has its own
/// item in items[2 i] and its alias in items[2 i + 1]. The second access waits for the first one.
struct BrownView {
  const Index* thresholds;  ///< of `CompactRow`: the part of its bucket that row i keeps
  const Index* items;       ///< two per row
  Index size;               ///< rows

  [[nodiscard]] WRSGPU_HD Index find(std::uint64_t word) const {
    const RowChoice choice = choose_row(word, size);
    const bool is_alias = CompactRows::variate(choice.fraction) >= thresholds[choice.row];
    return items[2 * std::size_t{choice.row} + (is_alias ? 1U : 0U)];
  }
};

/// Writes the arrays of a `BrownView`.
struct BrownWriter {
  Index* thresholds;
  Index* items;

  WRSGPU_HD void store(Index i, const CompactRow& row) const {
    thresholds[i] = row.threshold;
    items[2 * std::size_t{i}] = i;
    items[2 * std::size_t{i} + 1] = row.alias;
  }
};

}  // namespace wrsgpu
