// Walker's construction (thesis 2.4.1).
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Fills the emptiest bucket from the fullest one, N times: O(N^2). Single-threaded.
class Walker final : public CpuAliasTable {
 public:
  using CpuAliasTable::CpuAliasTable;

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
};

}  // namespace wrsgpu
