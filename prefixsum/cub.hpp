// The prefix sum of NVIDIA's CUB library (thesis 4.2).
#pragma once

#include <cstdint>

#include "prefixsum/prefix_sum.hpp"

namespace wrsgpu::prefixsum {

/// cub::DeviceScan: one pass over the items, in which a block waits for the sums of preceding
/// blocks (decoupled look-back).
struct Cub {
  static constexpr const char* name = "cub";
  static constexpr const char* source = "thesis 4.2, CUB";
  static constexpr const char* summary = "cub::DeviceScan: one pass, decoupled look-back";
  static constexpr bool in_place = true;

  /// Each item is read and written once; the look-back state, a few bytes per thousand items, is
  /// not counted.
  [[nodiscard]] static constexpr Traffic traffic(std::uint64_t size, Kind) {
    return {size, size, 2};
  }
};

}  // namespace wrsgpu::prefixsum
