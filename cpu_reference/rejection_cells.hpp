// Cells of the rejection method (thesis 2.8), on the CPU and the GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

/// Capacity of a cell, in the unit of `RejectionCells::first_share`.
inline constexpr std::uint64_t whole_cell = std::uint64_t{1} << 63;

/// Number of cells of an item, and acceptance probability of the first one in units of 2^-63.
struct RejectionCells {
  std::uint64_t count;
  std::uint64_t first_share;
};

/// For x = mass / 2^32.
[[nodiscard]] WRSGPU_HD inline RejectionCells rejection_cells(std::uint64_t mass) {
  if (mass == 0) return {1, 0};
  const std::uint64_t others = (mass - 1) >> 32;
  return {others + 1, (mass - (others << 32)) << 31};
}

[[nodiscard]] WRSGPU_HD inline RejectionCells rejection_cells(double x) {
  if (x == 0) return {1, 0};
  const double others = std::ceil(x) - 1;
  // The difference is exact; the conversion truncates after 63 binary digits.
  const double first = x - others;
  return {static_cast<std::uint64_t>(others) + 1, static_cast<std::uint64_t>(first * 0x1p63)};
}

}  // namespace wrsgpu
