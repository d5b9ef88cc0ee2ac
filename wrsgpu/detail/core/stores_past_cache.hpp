// Rows that are written past the caches.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace wrsgpu {

/// Whether the rows of a table are, if the processor can: a large one need not be read into the
/// caches first, and does not push out what is needed.
[[nodiscard]] constexpr bool is_written_past_cache(std::size_t table_bytes) {
  return table_bytes > std::size_t{8} << 20;
}

/// To be called between such stores and others to the same rows, by the thread that made them: they
/// are not ordered with others.
inline void order_stores_past_cache() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace wrsgpu
