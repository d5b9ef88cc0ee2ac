// A compact row in a quarter of the size.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// A row in 2 bytes: the 5 leading bits of the threshold, then a code of 11 bits for the alias.
/// Rows come in sections of 2048 (the last may be short), and the code is one of
///   the alias's place in the section of the row,
///   the row's own place: the alias is the one that is common to the section,
///   the row's own place less or plus half a section: to be asked, which means that the 16-bit row
///     does not know the alias, and that the whole row must be read.
/// To be asked are aliases in other sections but the common one, the alias at the place that the
/// last code takes, and rows whose bucket is all their own, which 5 bits cannot say. Any common
/// alias is right; with a rare one more rows are to be asked.
class Row16 {
 public:
  static constexpr Index section_rows = 2048;

  /// Whether row and alias lie in different sections.
  [[nodiscard]] WRSGPU_HD static constexpr bool is_outside(Index row, Index alias) {
    return (row ^ alias) >= section_rows;
  }
  /// Row number `row`, of a section with this common alias.
  [[nodiscard]] WRSGPU_HD static constexpr std::uint16_t pack(const CompactRow& whole, Index row,
                                                              Index common) {
    if (whole.alias == row) return joined(max_leading, row ^ escape_code);
    const Index leading = whole.threshold >> dropped_bits;
    if (!is_outside(row, whole.alias)) return joined(leading, whole.alias);
    return joined(leading, whole.alias == common ? row : row ^ escape_code);
  }

  /// Whether the whole row must be read to decide: the leading bits of variate and threshold are
  /// equal, or the variate gives the item that is to be asked. Computes all of it, as the next one
  /// does, so that kernels need no branch between reads.
  [[nodiscard]] WRSGPU_HD static constexpr bool needs_full_row(std::uint16_t packed, Index row,
                                                               Index variate) {
    const Index minimum = threshold(packed);
    return (((minimum ^ variate) >> dropped_bits) == 0) |
           ((variate > minimum) & (difference(packed, row) == escape_code));
  }
  /// Whether the variate gives the common alias, unless the row asks.
  [[nodiscard]] WRSGPU_HD static constexpr bool gives_common(std::uint16_t packed, Index row,
                                                             Index variate) {
    const Index minimum = threshold(packed);
    return (variate > minimum) & (difference(packed, row) == 0);
  }
  /// What stands for the threshold in rows that do not ask.
  [[nodiscard]] WRSGPU_HD static constexpr Index threshold(std::uint16_t packed) {
    return Index{packed} >> code_bits << dropped_bits;
  }
  /// The alias in rows that neither ask nor give the common one. In the others it may lie beyond
  /// the end of the table.
  [[nodiscard]] WRSGPU_HD static constexpr Index alias(std::uint16_t packed, Index row) {
    return row ^ difference(packed, row);
  }

 private:
  static constexpr int code_bits = 11;
  static constexpr int dropped_bits = 27;  // of a threshold
  static constexpr Index max_leading = 31;
  static constexpr Index escape_code = section_rows / 2;

  [[nodiscard]] WRSGPU_HD static constexpr std::uint16_t joined(Index leading, Index place) {
    return static_cast<std::uint16_t>(leading << code_bits | place % section_rows);
  }
  /// The code against the row's own place.
  [[nodiscard]] WRSGPU_HD static constexpr Index difference(std::uint16_t packed, Index row) {
    return (packed ^ row) % section_rows;
  }
};

}  // namespace wrsgpu
