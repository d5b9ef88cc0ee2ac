// IEEE operations that are rounded one by one, so that host and device get the same bits: nvcc
// would fuse products and sums otherwise. The host's compiler is told not to.
#pragma once

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

}  // namespace wrsgpu
