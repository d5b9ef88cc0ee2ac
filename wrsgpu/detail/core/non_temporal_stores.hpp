// Non-temporal stores of rows.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace wrsgpu {

/// Whether rows of a table are written by non-temporal stores, if the processor supports them: a
/// large table is then not read into the caches first and does not evict other data.
[[nodiscard]] constexpr bool uses_non_temporal_stores(std::size_t table_bytes) {
  return table_bytes > std::size_t{8} << 20;
}

/// Copies a multiple of 16 bytes, between addresses that are multiples of 16, by non-temporal
/// stores if the processor has them.
inline void copy_by_non_temporal_stores(const void* from, void* to, std::size_t bytes) {
#if defined(__x86_64__)
  const auto* const read = static_cast<const __m128i*>(from);
  auto* const written = static_cast<__m128i*>(to);
  for (std::size_t i = 0; i < bytes / sizeof(__m128i); ++i) {
    _mm_stream_si128(written + i, _mm_load_si128(read + i));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Store fence for weakly ordered non-temporal stores. The thread that made them calls it before
/// other stores to the same rows.
inline void fence_non_temporal_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace wrsgpu
