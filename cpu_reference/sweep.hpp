// The sweeping construction (thesis 2.4.3 and 4.2).
#pragma once

#include "cpu_reference/construct.hpp"

namespace wrsgpu {

/// Two indices run over the items, one to the next light item, one to the next heavy item. Needs no
/// memory besides the table. Single-threaded.
class Sweep final : public CpuAliasTable {
 public:
  using CpuAliasTable::CpuAliasTable;

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;
};

}  // namespace wrsgpu
