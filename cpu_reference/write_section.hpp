// Writes the finished rows of a section to the table.
#pragma once

#include "wrsgpu/construction/pack/store_row.hpp"
#include "wrsgpu/cpu_reference/section_lists.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace wrsgpu {

/// `past_cache` lets wide rows go to memory without being read first, for tables that the caches
/// cannot hold.
template <class Mass, class Rows>
void write_section(const SectionLists<Mass>& lists, Mass bucket, Index first, Index count,
                   const Rows& rows, [[maybe_unused]] bool past_cache) {
#ifdef __SSE2__
  if constexpr (Rows::layout == Layout::wide_rows) {
    if (past_cache) {
      WideRow* const to = rows.data() + first;
      for (Index i = 0; i < count; ++i) {
        const Mass own = lists.own[i];
        const Index alias = own == bucket ? first + i : lists.alias[i];
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_unpacklo_epi64(_mm_castpd_si128(_mm_set_sd(static_cast<double>(own))),
                                            _mm_cvtsi32_si128(static_cast<int>(alias))));
      }
      return;
    }
  }
#endif
  for (Index i = 0; i < count; ++i) {
    pack::store_row(rows, bucket, first + i, lists.own[i], lists.alias[i]);
  }
}

}  // namespace wrsgpu
