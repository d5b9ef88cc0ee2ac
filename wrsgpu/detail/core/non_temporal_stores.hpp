// Non-temporal stores of rows.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace wrsgpu {

/// Whether rows of a table are written by non-temporal stores, if the processor supports them: a
/// large table is then not read into the caches first and does not evict other data.
[[nodiscard]] constexpr bool uses_non_temporal_stores(std::size_t table_bytes) {
  return table_bytes > std::size_t{8} << 20;
}

/// Store fence for weakly ordered non-temporal stores. The thread that made them calls it before
/// other stores to the same rows.
inline void fence_non_temporal_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace wrsgpu
