// The largest, the least and the sums of a warp's numbers, for all of its threads.
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

/// All threads of the warp call it; `Bits` is unsigned.
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

/// The same for the smallest one of any numbers.
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

/// The sum of what all lanes have.
template <class Number>
[[nodiscard]] __device__ Number warp_sum(Number number) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    number += __shfl_xor_sync(~0U, number, distance);
  }
  return number;
}

/// The sum of what the lanes up to and including this one have.
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
