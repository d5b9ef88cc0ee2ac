// Vose's construction (thesis 2.4.2 and 4.2).
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Two stacks, one of light items and one of heavy items; they share 16 bytes of memory per item.
/// Single-threaded.
class Vose final : public CpuAliasTable {
 public:
  using CpuAliasTable::CpuAliasTable;

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
};

}  // namespace wrsgpu
