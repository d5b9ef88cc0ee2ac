// Code for AVX2, used if the processor supports it but not AVX-512: functions marked WRSGPU_AVX2,
// within `#ifdef WRSGPU_HAS_AVX2_CODE`, called if `has_avx2()`. Loops that the compiler vectorises
// by itself use wrsgpu/detail/core/target_clones.hpp.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WRSGPU_HAS_AVX2_CODE
#define WRSGPU_AVX2 __attribute__((target("avx2,bmi2,popcnt")))

namespace wrsgpu {

[[nodiscard]] inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt");
  return has;
}

}  // namespace wrsgpu
#else
namespace wrsgpu {

[[nodiscard]] constexpr bool has_avx2() { return false; }

}  // namespace wrsgpu
#endif
