// 16-bit rows of a table on the host, by their definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "wrsgpu/detail/sampling/row16.hpp"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu {

/// One section after the other.
struct HostRows16 {
  std::vector<std::uint16_t> packed;
  std::vector<Index> common;
};
/// Of a table of compact rows.
inline HostRows16 rows16_on_host(const HostTable& table) {
  const CompactRows rows = table.compact_rows();
  HostRows16 made;
  for (std::uint64_t first = 0; first < rows.size(); first += Row16::section_rows) {
    const std::uint64_t end = std::min<std::uint64_t>(first + Row16::section_rows, rows.size());
    std::vector<Index> outside;
    for (std::uint64_t i = first; i < end; ++i) {
      const Index alias = rows.load(static_cast<Index>(i)).alias;
      if (alias < first || alias >= end) outside.push_back(alias);
    }
    const Index common = outside.empty() ? static_cast<Index>(first) : outside[outside.size() / 2];
    made.common.push_back(common);
    for (std::uint64_t i = first; i < end; ++i) {
      const auto row = static_cast<Index>(i);
      made.packed.push_back(Row16::pack(rows.load(row), row, common));
    }
  }
  return made;
}

/// How many of a row's variates require the full row, and how many give the common alias.
struct Row16Variates {
  std::uint64_t escape = 0;
  std::uint64_t common = 0;
};
inline Row16Variates variates_of(std::uint16_t packed, Index row) {
  constexpr std::uint64_t all = std::uint64_t{1} << 32;
  constexpr std::uint64_t step =
      all / 32;  // of variates that begin with the same 5 bits, and decide alike
  Row16Variates found;
  for (std::uint64_t variate = step / 2; variate < all; variate += step) {
    if (Row16::needs_full_row(packed, row, static_cast<Index>(variate))) {
      found.escape += step;
    } else if (Row16::gives_common(packed, row, static_cast<Index>(variate))) {
      found.common += step;
    }
  }
  return found;
}

/// The shares of all draws.
struct Row16Shares {
  double escape = 0;
  double common = 0;
};
inline Row16Shares shares_of(const HostRows16& rows) {
  Row16Variates sum;
  for (std::size_t row = 0; row < rows.packed.size(); ++row) {
    const Row16Variates some = variates_of(rows.packed[row], static_cast<Index>(row));
    sum.escape += some.escape;
    sum.common += some.common;
  }
  const double all = 0x1p32 * static_cast<double>(rows.packed.size());
  return {static_cast<double>(sum.escape) / all, static_cast<double>(sum.common) / all};
}

}  // namespace wrsgpu
