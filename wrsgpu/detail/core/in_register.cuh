// A hint to the compiler to keep a word in a register.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// Returns its argument, a word that is uniform over the threads of a loop, unchanged. The compiler
/// would reload kernel arguments, or recompute cheap values, in each iteration; it cannot see
/// through this identity and keeps the result in a register. The grid must have gridDim.z = 1.
[[nodiscard]] __device__ inline std::uint32_t in_register(std::uint32_t word) {
  return word ^ (gridDim.z - 1);
}

}  // namespace wrsgpu
