// The partition of a table into sections.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// Sections of `section_items` rows; the last may be shorter.
struct Sections {
  Index size;
  Index section_items;

  [[nodiscard]] WRSGPU_HD Index count() const {
    return static_cast<Index>((std::uint64_t{size} + section_items - 1) / section_items);
  }
  /// Number of rows before section `section`; all rows for `section` = count().
  [[nodiscard]] WRSGPU_HD Index start(Index section) const {
    const std::uint64_t rows = std::uint64_t{section} * section_items;
    return rows < size ? static_cast<Index>(rows) : size;
  }
};

/// A range [first, past) of splits or sections.
struct Range {
  Index first = 0;
  std::uint64_t past = ~std::uint64_t{0};
};

}  // namespace wrsgpu::split
