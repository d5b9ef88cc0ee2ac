// Which sampler is the fastest one (thesis 5.3, Figure 5.9).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wrsgpu/core/types.hpp"
#include "wrsgpu/sampling/shared_rows_bytes.hpp"

namespace wrsgpu {

/// Of a device.
struct SamplingDevice {
  std::uint64_t multiprocessors;
  /// What one of them has as shared memory or cache.
  std::size_t cache_bytes;
  /// The cache that they share.
  std::size_t l2_bytes;
};

/// Name of the GPU sampler for `samples` samples, drawn with Philox from a table of so many rows
/// and bytes: by the crossovers that `experiments/sampler_heatmap` measured with 132
/// multiprocessors (H200), among whom what a section costs is shared out. Within 15% of the best
/// one everywhere in that record.
[[nodiscard]] inline std::string_view choose_sampler(Index rows, std::size_t table_bytes,
                                                     std::uint64_t samples,
                                                     const SamplingDevice& device) {
  // Samples a multiprocessor. Sections pay later where reads at random hit the shared cache.
  const bool half_holds_it = table_bytes <= device.l2_bytes / 2;
  const std::uint64_t sections_pay = half_holds_it ? 100'000 : 70'000;
  constexpr std::uint64_t copies_pay = 2'300'000;
  // What a multiprocessor's cache holds is one section anyway.
  if (table_bytes <= device.cache_bytes) return "baseline";
  if (samples < std::max<std::uint64_t>(device.multiprocessors * sections_pay, rows)) {
    return "baseline";
  }
  // Where only the whole of that cache holds the table, it is at its best read once and in order.
  if (!half_holds_it && table_bytes <= device.l2_bytes) return "shared_memory";
  return samples < device.multiprocessors * copies_pay ? "cached_limited" : "shared_memory";
}

/// The same for compact rows, among the samplers with lazy words, by what
/// `experiments/beyond_sampling` measured: sections pay from fewer samples on, and what costs are
/// the rows to copy, not the sections.
[[nodiscard]] inline std::string_view choose_lazy_sampler(Index rows, std::uint64_t samples,
                                                          const SamplingDevice& device) {
  // Samples a multiprocessor. Borders of a single section need not be found.
  constexpr std::uint64_t section_pays = 7'000;
  constexpr std::uint64_t sections_pay = 27'000;
  constexpr Index row_reads = 12;  // neighbouring rows are copied in the time of one at random
  const bool is_one = is_one_section(rows, device.cache_bytes);
  const std::uint64_t least =
      device.multiprocessors * (is_one ? section_pays : sections_pay) + rows / row_reads;
  return samples < least ? "direct" : "sectioned";
}

}  // namespace wrsgpu
