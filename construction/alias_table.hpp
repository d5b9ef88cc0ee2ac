// Base of all alias tables (thesis 2.4 and 4.1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "construction/sampling_algorithm.hpp"
#include "wrsgpu/detail/table/table_options.hpp"

namespace wrsgpu {

/// A table of N rows. Row i holds the part of a bucket that belongs to item i, and the item (the
/// alias) that gets the rest.
class AliasTable : public SamplingAlgorithm {
 public:
  /// Throws `Error` with the reason if the options are incompatible.
  explicit AliasTable(TableOptions options);

  [[nodiscard]] const TableOptions& options() const { return options_; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }

  /// A copy of the rows in host memory. Throws `Error` before the first build.
  [[nodiscard]] virtual HostTable to_host() const = 0;

 protected:
  /// `probabilities_of` the rows.
  [[nodiscard]] std::vector<double> do_probabilities() const override;

 private:
  TableOptions options_;
};

/// An alias table built and kept in host memory.
class HostAliasTable : public AliasTable {
 public:
  using AliasTable::AliasTable;

  [[nodiscard]] Device device() const final { return Device::cpu; }
  [[nodiscard]] std::size_t bytes() const final { return table_.bytes(); }
  [[nodiscard]] HostTable to_host() const final;

  /// The rows, without a copy.
  [[nodiscard]] const HostTable& table() const { return table_; }

  /// Replaces the rows by `table`. Throws `Error` if it is empty or has another layout.
  void assign(HostTable table);

 protected:
  /// The table to fill, of `size` rows in the requested layout; reuses the memory of the last build
  /// if it is large enough.
  [[nodiscard]] HostTable& prepare_table(Index size, double bucket);
  /// The table to fill for a `do_build` that does not call `prepare_table`.
  [[nodiscard]] HostTable& rows() { return table_; }
  /// Checks on `TableOptions::threads` threads.
  [[nodiscard]] WeightSummary check(WeightsView weights) const override {
    return summarise(weights, options().threads);
  }
  void do_sample(std::span<Index> out, RandomState state) const final;
  [[nodiscard]] std::vector<double> do_probabilities() const final;

 private:
  HostTable table_;
};

}  // namespace wrsgpu
