// Positions in the cumulated masses that random words select (thesis 2.1), on the CPU and the GPU.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"

namespace wrsgpu {

/// Maps a uniform word to [0, total), monotonically: floor(word * total / 2^64) for integers.
[[nodiscard]] WRSGPU_HD inline std::uint64_t interval_position(std::uint64_t word,
                                                               std::uint64_t total) {
  return static_cast<std::uint64_t>(WideInteger{word} * total >> 64);
}

/// (word >> 11) * total / 2^53, rounded, for double; it stays below the total because the factor is
/// at most 1 - 2^-53.
[[nodiscard]] WRSGPU_HD inline double interval_position(std::uint64_t word, double total) {
  return static_cast<double>(word >> 11) * (total * 0x1p-53);
}

}  // namespace wrsgpu
