// Base of all alias tables (thesis 2.4 and 4.1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "wrsgpu/construction/sampling_algorithm.hpp"
#include "wrsgpu/construction/table.hpp"

namespace wrsgpu {

/// What can be chosen of a table apart from the method that builds it.
struct TableOptions {
  Arithmetic arithmetic = Arithmetic::floating;
  Layout layout = Layout::wide_rows;
  /// Host threads of parallel methods; 0 means all.
  unsigned threads = 0;
};

/// Why no table has these options (compact rows of floating-point masses), or an empty string.
[[nodiscard]] std::string refusal(const TableOptions& options);

/// What each item is drawn with, summed over the rows: own part to the item, rest of the bucket to
/// its alias, divided by what all buckets hold.
[[nodiscard]] std::vector<double> probabilities_of(const HostTable& table);

/// Throws `Error` for a table that cannot take the place of one in layout `layout`: an empty one,
/// or one in another layout.
void require_assignable(const HostTable& table, Layout layout);

/// A table of N rows; row i holds the part of a bucket that is item i's own, and the item (the
/// alias) that gets the rest.
class AliasTable : public SamplingAlgorithm {
 public:
  /// Throws `Error` with the refusal of the options, if there is one.
  explicit AliasTable(TableOptions options);

  [[nodiscard]] const TableOptions& options() const { return options_; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }

  /// The rows in host memory, copied there if they are on a device. Throws before the first build.
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

  /// Takes rows that were made elsewhere. Throws `Error` when there are none, or in another layout.
  void assign(HostTable table);

 protected:
  /// The table to fill, of `size` rows in the layout asked for; its memory is kept from the last
  /// build when it is large enough.
  [[nodiscard]] HostTable& prepare_table(Index size, double bucket);
  /// On the threads asked for.
  [[nodiscard]] WeightSummary check(WeightsView weights) const override {
    return summarise(weights, options().threads);
  }
  void do_sample(std::span<Index> out, RandomState state) const final;
  [[nodiscard]] std::vector<double> do_probabilities() const final;

 private:
  HostTable table_;
};

}  // namespace wrsgpu
