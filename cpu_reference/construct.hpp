// From a table's options to the types a construction is written in.
#pragma once

#include <span>

#include "wrsgpu/construction/alias_table.hpp"
#include "wrsgpu/construction/masses.hpp"
#include "wrsgpu/construction/quantise.hpp"
#include "wrsgpu/construction/weight_summary.hpp"
#include "wrsgpu/core/error.hpp"

namespace wrsgpu {

/// Base of the CPU constructions, which are written once over masses and rows.
class CpuAliasTable : public HostAliasTable {
 public:
  using HostAliasTable::HostAliasTable;

 protected:
  /// Prepares the table and calls `construct(masses, rows)` with what the options ask for:
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

  /// The same where the options ask for floating-point arithmetic.
  template <class Construct>
  void construct_in_floating_point(WeightsView weights, const WeightSummary& summary,
                                   Construct&& construct) {
    HostTable& table = prepare_table(summary.size, summary.bucket());
    weights.visit([&]<class T>(std::span<const T> w) {
      table.visit([&](auto rows) {
        if constexpr (decltype(rows)::layout != Layout::compact_rows) {
          construct(ScaledWeights<T>{w.data(), summary.scale, summary.bucket()}, rows);
        } else {
          throw Error("compact rows hold fixed-point tables only");
        }
      });
    });
  }
};

}  // namespace wrsgpu
