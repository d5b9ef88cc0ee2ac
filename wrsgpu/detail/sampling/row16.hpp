// A 16-bit row with an escape code.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// A row in 2 bytes: the 5 leading bits of the threshold, then a code of 11 bits for the alias.
/// Rows come in sections of 2048 (the last may be shorter), and the code is one of
///   the alias's index in the section of the row,
///   the row's own index: the alias is the one that is common to the section,
///   the row's own index plus half a section, modulo the section: the escape code, which means that
///   the alias is not representable and that the full row must be read.
/// The escape code stands for aliases in other sections except the common one, for the alias at the
/// index that the escape code occupies, and for rows with a full bucket, which 5 bits cannot
/// represent. Any common alias is correct; a rare one causes more escapes.
class Row16 {
 public:
  static constexpr Index section_rows = 2048;

  /// Whether row and alias are in different sections.
  [[nodiscard]] WRSGPU_HD static constexpr bool is_outside(Index row, Index alias) {
    return (row ^ alias) >= section_rows;
  }
  /// Packs row number `row`, of a section with this common alias.
  [[nodiscard]] WRSGPU_HD static constexpr std::uint16_t pack(const CompactRow& whole, Index row,
                                                              Index common) {
    if (whole.alias == row) return joined(max_leading, row ^ escape_code);
    const Index leading = whole.threshold >> dropped_bits;
    if (!is_outside(row, whole.alias)) return joined(leading, whole.alias);
    return joined(leading, whole.alias == common ? row : row ^ escape_code);
  }

  /// Whether the full row must be read: the leading bits of variate and threshold are equal, or the
  /// variate selects the alias of an escape code. Branch-free, like the next function, so that
  /// kernels need no branch between loads.
  [[nodiscard]] WRSGPU_HD static constexpr bool needs_full_row(std::uint16_t packed, Index row,
                                                               Index variate) {
    const Index minimum = threshold(packed);
    return (((minimum ^ variate) >> dropped_bits) == 0) |
           ((variate > minimum) & (difference(packed, row) == escape_code));
  }
  /// Whether the variate selects the common alias, unless the row escapes.
  [[nodiscard]] WRSGPU_HD static constexpr bool gives_common(std::uint16_t packed, Index row,
                                                             Index variate) {
    const Index minimum = threshold(packed);
    return (variate > minimum) & (difference(packed, row) == 0);
  }
  /// The approximate threshold of rows that do not escape.
  [[nodiscard]] WRSGPU_HD static constexpr Index threshold(std::uint16_t packed) {
    return Index{packed} >> code_bits << dropped_bits;
  }
  /// The alias of rows that neither escape nor select the common alias. For other rows it may be
  /// beyond the end of the table.
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
  /// The code relative to the row's own index.
  [[nodiscard]] WRSGPU_HD static constexpr Index difference(std::uint16_t packed, Index row) {
    return (packed ^ row) % section_rows;
  }
};

}  // namespace wrsgpu
