// PSA executed step after step on one thread (thesis 4.2, "Splitting Construction on the CPU").
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Builds all data structures of the parallel variant, then processes them in order with the
/// readable pack; for debugging. The table is that of `Psa`.
class PsaSequential final : public CpuAliasTable {
 public:
  /// `section_items`: approximate number of rows per section; at least 1.
  explicit PsaSequential(TableOptions options, Index section_items = 4096);

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  Index section_items_;
};

}  // namespace wrsgpu
