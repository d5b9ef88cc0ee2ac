// PSA, the parallel splitting-based construction (thesis 2.4.4), on host threads.
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Partitions the items, splits the sweep at many places and packs the sections in parallel. Needs
/// 12 bytes of memory per item besides the table (16 in fixed-point arithmetic, plus the masses).
class Psa final : public CpuAliasTable {
 public:
  /// `section_items`: approximate number of rows per section; at least 1.
  explicit Psa(TableOptions options, Index section_items = 4096);

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  Index section_items_;
};

}  // namespace wrsgpu
