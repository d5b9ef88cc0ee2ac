// Code for AVX-512, used if the processor supports it: functions marked WRSGPU_AVX512, within
// `#ifdef WRSGPU_HAS_AVX512_CODE`, called if `has_avx512()`.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <array>
#include <cstdint>
#include <numeric>

#define WRSGPU_HAS_AVX512_CODE
// Masked forms with all lanes enabled replace some plain forms, because g++ 12 warns of
// uninitialised values in the latter.
#define WRSGPU_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,bmi2,popcnt")))

namespace wrsgpu {

[[nodiscard]] inline bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt");
  return has;
}

/// The sum of eight words. The reduction intrinsics cause the same warnings.
WRSGPU_AVX512 inline std::uint64_t sum_of(__m512i words) {
  std::array<std::uint64_t, 8> each;
  _mm512_storeu_si512(each.data(), words);
  return std::accumulate(each.begin(), each.end(), std::uint64_t{0});
}

}  // namespace wrsgpu
#else
namespace wrsgpu {

[[nodiscard]] constexpr bool has_avx512() { return false; }

}  // namespace wrsgpu
#endif
