// What tables are made like, and what every owner of one needs.
#pragma once

#include <string>
#include <vector>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"

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

/// The table to fill, of `size` rows in `layout`; the memory of `table` is kept when it is large
/// enough.
HostTable& prepare_table(HostTable& table, Layout layout, Index size, double bucket);

}  // namespace wrsgpu
