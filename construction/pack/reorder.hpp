// Other orders of the lists of light and heavy items (thesis 3.2.5 and 4.5.5).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::pack {

/// Order of a list: by index, so that the rows of a section are close together; round-robin, so
/// that the rows that neighbouring sections write at the same time are; or a fixed random order,
/// because the table must be reproducible.
enum class Order { by_index, round_robin, random };

/// Position of element `place` of a list of `count` elements when the list is dealt out to
/// `sections` rows of nearly equal length, which are then concatenated.
[[nodiscard]] WRSGPU_HD inline Index dealt_place(Index place, Index count, Index sections) {
  const Index row = place % sections;
  const Index shorter = count / sections;  // the first count % sections rows have one more
  const Index longer_rows = count % sections;
  const Index longer_before = row < longer_rows ? row : longer_rows;
  return row * shorter + longer_before + place / sections;
}

}  // namespace wrsgpu::pack
