// Short rows of a table on the host, by their definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "wrsgpu/detail/sampling/short_row.hpp"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu {

/// One section after the other.
struct HostShortRows {
  std::vector<std::uint16_t> packed;
  std::vector<Index> common;
};
/// Of a table of compact rows.
inline HostShortRows short_rows_on_host(const HostTable& table) {
  const CompactRows rows = table.compact_rows();
  HostShortRows made;
  for (std::uint64_t first = 0; first < rows.size(); first += ShortRow::section_rows) {
    const std::uint64_t end = std::min<std::uint64_t>(first + ShortRow::section_rows, rows.size());
    std::vector<Index> outside;
    for (std::uint64_t i = first; i < end; ++i) {
      const Index alias = rows.load(static_cast<Index>(i)).alias;
      if (alias < first || alias >= end) outside.push_back(alias);
    }
    const Index common = outside.empty() ? static_cast<Index>(first) : outside[outside.size() / 2];
    made.common.push_back(common);
    for (std::uint64_t i = first; i < end; ++i) {
      const auto row = static_cast<Index>(i);
      made.packed.push_back(ShortRow::pack(rows.load(row), row, common));
    }
  }
  return made;
}

/// Of how many of a row's coins the item is asked for, and of how many it is the common alias.
struct ShortRowCoins {
  std::uint64_t asking = 0;
  std::uint64_t common = 0;
};
inline ShortRowCoins coins_of(std::uint16_t packed, Index row) {
  constexpr std::uint64_t all = std::uint64_t{1} << 32;
  constexpr std::uint64_t step =
      all / 32;  // of coins that begin with the same 5 bits, and decide alike
  ShortRowCoins found;
  for (std::uint64_t coin = step / 2; coin < all; coin += step) {
    if (ShortRow::asks(packed, row, static_cast<Index>(coin))) {
      found.asking += step;
    } else if (ShortRow::gives_common(packed, row, static_cast<Index>(coin))) {
      found.common += step;
    }
  }
  return found;
}

/// The shares of all draws.
struct ShortRowShares {
  double asking = 0;
  double common = 0;
};
inline ShortRowShares shares_of(const HostShortRows& rows) {
  ShortRowCoins sum;
  for (std::size_t row = 0; row < rows.packed.size(); ++row) {
    const ShortRowCoins some = coins_of(rows.packed[row], static_cast<Index>(row));
    sum.asking += some.asking;
    sum.common += some.common;
  }
  const double all = 0x1p32 * static_cast<double>(rows.packed.size());
  return {static_cast<double>(sum.asking) / all, static_cast<double>(sum.common) / all};
}

}  // namespace wrsgpu
