// IEEE operations that are rounded one by one, so that host and device get the same bits: nvcc
// would fuse products and sums otherwise. The host's compiler is told not to.
#pragma once

#include <bit>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

[[nodiscard]] WRSGPU_HD inline double rounded_sum(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
[[nodiscard]] WRSGPU_HD inline double rounded_product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// The bits of a double, and the double of given bits.
[[nodiscard]] WRSGPU_HD inline std::uint64_t double_bits(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<std::uint64_t>(x);
#endif
}
[[nodiscard]] WRSGPU_HD inline double double_of_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

}  // namespace wrsgpu
