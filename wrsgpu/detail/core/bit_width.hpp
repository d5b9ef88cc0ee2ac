// std::bit_width, for host and device.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

/// Number of binary digits, 0 for 0. In device code nvcc (13.0, with libstdc++ 12) compiles the
/// 64-bit std::bit_width, std::popcount, std::countl_zero, std::bit_ceil and similar functions, and
/// the 32-bit std::countr_zero, to constants for every argument, without a warning. Built-in
/// functions, unlike those of std::, cause no warning without --expt-relaxed-constexpr either.
[[nodiscard]] WRSGPU_HD constexpr int bit_width(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(x));
#endif
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

}  // namespace wrsgpu
