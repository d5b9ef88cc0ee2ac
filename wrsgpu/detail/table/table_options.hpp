// Options of tables, and checks common to all their owners.
#pragma once

#include <string>
#include <vector>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Options of a table apart from the method that builds it.
struct TableOptions {
  Arithmetic arithmetic = Arithmetic::floating;
  Layout layout = Layout::wide_rows;
  /// Host threads of parallel methods; 0 means all.
  unsigned threads = 0;
};

/// The reason that these options are incompatible (compact rows of floating-point masses), or an
/// empty string.
[[nodiscard]] std::string refusal(const TableOptions& options);

/// The probability of each item, summed over the rows: the own part goes to the item, the rest of
/// the bucket to its alias, divided by the mass of all buckets.
[[nodiscard]] std::vector<double> probabilities_of(const HostTable& table);

/// Throws `Error` for a table that is empty or not in layout `layout`.
void require_assignable(const HostTable& table, Layout layout);

/// The table to fill, of `size` rows in `layout`; reuses the memory of `table` if it is large
/// enough.
HostTable& prepare_table(HostTable& table, Layout layout, Index size, double bucket);

}  // namespace wrsgpu
