// Shared memory accessed by 32-bit addresses, which fit in 16 bits here and serve as item names.
#pragma once

#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu::warp_pairing {

[[nodiscard]] __device__ inline Index address_of(const void* shared) {
  return static_cast<Index>(__cvta_generic_to_shared(shared));
}

[[nodiscard]] __device__ inline std::uint32_t load32(Index address) {
  std::uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}
[[nodiscard]] __device__ inline std::uint32_t load16(Index address) {
  std::uint32_t word;
  asm volatile("ld.shared.u16 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}
__device__ inline void store32(Index address, std::uint32_t word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}
__device__ inline void store16(Index address, std::uint32_t word) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

/// Accesses to words that no other thread accesses before the next barrier, so that the compiler
/// may reorder them.
[[nodiscard]] __device__ inline std::uint32_t load32_alone(Index address) {
  std::uint32_t word;
  asm("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
  return word;
}
__device__ inline void store16_alone(Index address, std::uint32_t word) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "r"(word));
}

}  // namespace wrsgpu::warp_pairing
