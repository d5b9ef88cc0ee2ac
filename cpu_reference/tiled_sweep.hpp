// The library's CPU construction as a method, for comparison with those of the thesis.
#pragma once

#include "construction/alias_table.hpp"
#include "wrsgpu/detail/build/tiled_sweep.hpp"

namespace wrsgpu {

/// Table of `detail::TiledSweepBuilder`, the fastest CPU construction. In fixed-point arithmetic it
/// is bitwise identical to that of `AliasTableMergeGpu` on the GPU.
class TiledSweep final : public HostAliasTable {
 public:
  explicit TiledSweep(TableOptions options = {}, TableForm form = TableForm::by_size)
      : HostAliasTable(options), builder_(options, form) {}

 private:
  [[nodiscard]] WeightSummary check(WeightsView weights) const override {
    return builder_.check(weights);
  }
  void do_build(WeightsView weights, const WeightSummary& summary) override {
    builder_.build(weights, summary, rows());
  }

  mutable detail::TiledSweepBuilder builder_;  // `check` stores the input of `do_build` in it
};

}  // namespace wrsgpu
