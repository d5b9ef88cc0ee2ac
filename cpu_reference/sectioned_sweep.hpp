// The library's CPU construction as a method beside those of the thesis.
#pragma once

#include "construction/alias_table.hpp"
#include "wrsgpu/detail/build/sectioned_sweep.hpp"

namespace wrsgpu {

/// Table of `detail::SectionedSweepBuilder`, the fastest CPU construction. In fixed-point
/// arithmetic it is, bit for bit, the GPU's `AliasTableMergeGpu`.
class SectionedSweep final : public HostAliasTable {
 public:
  explicit SectionedSweep(TableOptions options = {}, TableForm form = TableForm::by_size)
      : HostAliasTable(options), builder_(options, form) {}

 private:
  [[nodiscard]] WeightSummary check(WeightsView weights) const override {
    return builder_.check(weights);
  }
  void do_build(WeightsView weights, const WeightSummary& summary) override {
    builder_.build(weights, summary, rows());
  }

  mutable detail::SectionedSweepBuilder builder_;  // `check` leaves in it what `do_build` needs
};

}  // namespace wrsgpu
