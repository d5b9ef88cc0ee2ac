// Warp-wide maximum, minimum, sum and inclusive scan, returned to all lanes.
#pragma once

#include <cstdint>
#include <type_traits>

namespace wrsgpu {

namespace detail {
#if __CUDA_ARCH__ >= 800
inline constexpr bool has_warp_reduce = true;
#else
inline constexpr bool has_warp_reduce = false;
#endif
}  // namespace detail

/// All lanes of the warp must call it; `Bits` is unsigned.
template <class Bits>
[[nodiscard]] __device__ Bits warp_max(Bits bits) {
  if constexpr (detail::has_warp_reduce && sizeof(Bits) == sizeof(std::uint32_t)) {
    return __reduce_max_sync(~0U, bits);
  } else if constexpr (detail::has_warp_reduce && sizeof(Bits) == sizeof(std::uint64_t)) {
    const auto upper = static_cast<std::uint32_t>(bits >> 32);
    const std::uint32_t maximum = warp_max(upper);
    const auto lower = static_cast<std::uint32_t>(bits);
    return Bits{maximum} << 32 | warp_max(upper == maximum ? lower : 0U);
  } else {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Bits other = __shfl_xor_sync(~0U, bits, distance);
      bits = bits > other ? bits : other;
    }
    return bits;
  }
}

/// Warp-wide minimum of numbers of any type.
template <class Number>
[[nodiscard]] __device__ Number warp_min(Number number) {
  if constexpr (detail::has_warp_reduce && std::is_integral_v<Number> &&
                sizeof(Number) == sizeof(std::uint32_t)) {
    return __reduce_min_sync(~0U, number);
  } else {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Number other = __shfl_xor_sync(~0U, number, distance);
      number = number < other ? number : other;
    }
    return number;
  }
}

/// Warp-wide sum.
template <class Number>
[[nodiscard]] __device__ Number warp_sum(Number number) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    number += __shfl_xor_sync(~0U, number, distance);
  }
  return number;
}

/// Warp-wide inclusive scan.
template <class Number>
[[nodiscard]] __device__ Number warp_inclusive_sum(Number number) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const Number below = __shfl_up_sync(~0U, number, distance);
    number += lane >= distance ? below : 0;
  }
  return number;
}

}  // namespace wrsgpu
