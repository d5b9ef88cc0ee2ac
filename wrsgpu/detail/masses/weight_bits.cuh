// The order of weights by their bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace wrsgpu {

/// Bit pattern of a weight, ordered like valid weights; the patterns of invalid weights are
/// greater.
[[nodiscard]] __device__ inline std::uint32_t bits_of(float weight) {
  return __float_as_uint(weight);
}
[[nodiscard]] __device__ inline std::uint64_t bits_of(double weight) {
  return static_cast<std::uint64_t>(__double_as_longlong(weight));
}

[[nodiscard]] __device__ inline double weight_of(std::uint32_t bits) {
  return __uint_as_float(bits);
}
[[nodiscard]] __device__ inline double weight_of(std::uint64_t bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

template <class Bits>
[[nodiscard]] __device__ inline Bits greater_of(Bits a, Bits b) {
  return a > b ? a : b;
}

}  // namespace wrsgpu
