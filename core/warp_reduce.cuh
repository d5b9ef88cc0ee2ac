// The greatest and the least of a warp's numbers, for all of its threads.
#pragma once

#include <cstdint>

namespace wrsgpu {

namespace detail {
#if __CUDA_ARCH__ >= 800
inline constexpr bool has_warp_reduce = true;
#else
inline constexpr bool has_warp_reduce = false;
#endif
}  // namespace detail

/// All threads of the warp call it; `Bits` is unsigned.
template <class Bits>
[[nodiscard]] __device__ Bits warp_max(Bits bits) {
  if constexpr (detail::has_warp_reduce && sizeof(Bits) == sizeof(std::uint32_t)) {
    return __reduce_max_sync(~0U, bits);
  } else {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Bits other = __shfl_xor_sync(~0U, bits, distance);
      bits = bits > other ? bits : other;
    }
    return bits;
  }
}

/// The same for the least one; `Number` is int or an unsigned type.
template <class Number>
[[nodiscard]] __device__ Number warp_min(Number number) {
  if constexpr (detail::has_warp_reduce && sizeof(Number) == sizeof(std::uint32_t)) {
    return __reduce_min_sync(~0U, number);
  } else {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Number other = __shfl_xor_sync(~0U, number, distance);
      number = number < other ? number : other;
    }
    return number;
  }
}

}  // namespace wrsgpu
