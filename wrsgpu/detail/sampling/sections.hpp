// The partition of a table into sections.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// Sections end after every `section_items` rows, and after the last.
struct Sections {
  Index size;
  Index section_items;

  [[nodiscard]] WRSGPU_HD Index count() const {
    return static_cast<Index>((std::uint64_t{size} + section_items - 1) / section_items);
  }
  /// Rows before section `section`; `section` = count() gives all rows.
  [[nodiscard]] WRSGPU_HD Index start(Index section) const {
    const std::uint64_t rows = std::uint64_t{section} * section_items;
    return rows < size ? static_cast<Index>(rows) : size;
  }
};

/// Some of the splits or sections: [first, past).
struct Range {
  Index first = 0;
  std::uint64_t past = ~std::uint64_t{0};
};

}  // namespace wrsgpu::split
