// PSA+, greedy packing before PSA (thesis 2.4.5 and 3.3), on host threads.
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Sweeps over sections of fixed size independently, until a section has only light or only heavy
/// items left, which PSA then processes. A partly used heavy item is passed on with its remaining
/// mass and classified again (thesis 4.6). Needs 24 bytes of memory per item passed on.
class PsaPlus : public CpuAliasTable {
 public:
  /// `section_items`: items per section in the greedy step, and approximate number of rows per
  /// section in the PSA step; at least 1. Longer sections leave fewer items to PSA.
  explicit PsaPlus(TableOptions options, Index section_items = 4096);

  /// The fraction of the rows of the last table that were written in the greedy step.
  [[nodiscard]] double greedy_fraction() const { return greedy_fraction_; }

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  /// Of `items` items.
  [[nodiscard]] virtual Index greedy_sections(Index items) const;
  Index section_items_;
  double greedy_fraction_ = 0;
};

/// PSA+ whose greedy step has one section per thread, as with processors in thesis 2.4.5. The table
/// depends on the number of threads.
class PsaPlusPerThread final : public PsaPlus {
 public:
  explicit PsaPlusPerThread(TableOptions options) : PsaPlus(options) {}

 private:
  [[nodiscard]] Index greedy_sections(Index items) const override;
};

}  // namespace wrsgpu
