// Dispatch from the options of a table to the types of masses and rows.
#pragma once

#include <span>

#include "construction/alias_table.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Base of the CPU constructions, which are written once for all types of masses and rows.
class CpuAliasTable : public HostAliasTable {
 public:
  using HostAliasTable::HostAliasTable;

 protected:
  /// Prepares the table and calls `construct(masses, rows)` with the types that the options select:
  /// `ScaledWeights<float>`, `ScaledWeights<double>` or `IntegerMasses`, and one of the row views.
  template <class Construct>
  void construct_with(WeightsView weights, const WeightSummary& summary, Construct&& construct) {
    if (options().arithmetic == Arithmetic::fixed_point) {
      const HostBuffer<std::uint64_t> masses = quantise(weights, options().threads);
      prepare_table(summary.size, static_cast<double>(fixed_bucket)).visit([&](auto rows) {
        construct(IntegerMasses{masses.data()}, rows);
      });
      return;
    }
    construct_in_floating_point(weights, summary, construct);
  }

  /// `construct_with` for floating-point arithmetic only.
  template <class Construct>
  void construct_in_floating_point(WeightsView weights, const WeightSummary& summary,
                                   Construct&& construct) {
    with_scaled_weights(weights, summary, prepare_table(summary.size, summary.bucket()), construct);
  }
};

}  // namespace wrsgpu
