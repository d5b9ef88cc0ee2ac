// PSA+, greedy packing before PSA (thesis 2.4.5 and 3.3), on host threads.
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Sweeps over sections of fixed size independently, until one has only light or only heavy items
/// left, then exports these to PSA. A partly used heavy item is exported with its remaining mass
/// and classified again (thesis 4.6). Needs 24 bytes of memory per item exported.
class PsaPlus final : public CpuAliasTable {
 public:
  /// `section_items`: items of a section in the greedy step, and about how many rows a section of
  /// the PSA step has; at least 1.
  explicit PsaPlus(TableOptions options, Index section_items = 4096);

  /// The fraction of the last table's rows that were written in the greedy step.
  [[nodiscard]] double greedy_fraction() const { return greedy_fraction_; }

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  Index section_items_;
  double greedy_fraction_ = 0;
};

}  // namespace wrsgpu
