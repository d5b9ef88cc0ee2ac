// PSA executed step after step on one thread (thesis 4.2, "Splitting Construction on the CPU").
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Makes all the data structures of the parallel case, then works through them in order with the
/// readable pack: the variant to debug with. The table is that of `Psa`.
class PsaSequential final : public CpuAliasTable {
 public:
  /// `section_items`: about how many rows a section has; at least 1.
  explicit PsaSequential(TableOptions options, Index section_items = 4096);

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  Index section_items_;
};

}  // namespace wrsgpu
