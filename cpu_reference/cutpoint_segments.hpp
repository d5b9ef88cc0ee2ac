// Segments of the cutpoint method (thesis 2.2), on the CPU and the GPU.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"

namespace wrsgpu {

/// The smallest word that `choose_row` assigns to `segment`: ceil(segment * 2^64 / segments).
[[nodiscard]] WRSGPU_HD inline std::uint64_t first_word_of_segment(std::uint64_t segment,
                                                                   std::uint64_t segments) {
  return static_cast<std::uint64_t>(((static_cast<WideInteger>(segment) << 64) + segments - 1) /
                                    segments);
}

}  // namespace wrsgpu
