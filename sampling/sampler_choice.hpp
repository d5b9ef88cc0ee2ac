// Selection of the fastest sampler (thesis 5.3, Figure 5.9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wrsgpu/detail/sampling/fastest_sampler.hpp"
#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Name of the GPU sampler for `samples` samples, drawn with Philox from a table of `rows` rows and
/// `table_bytes` bytes. Uses the crossovers that `experiments/sampler_heatmap` measured with 132
/// multiprocessors (H200), which share the cost of a section. Within 15% of the best sampler
/// everywhere in that record.
[[nodiscard]] inline std::string_view choose_sampler(Index rows, std::size_t table_bytes,
                                                     std::uint64_t samples,
                                                     const SamplingDevice& device) {
  // Samples per multiprocessor. Sections pay off later if random reads hit the L2 cache.
  const bool half_holds_it = table_bytes <= device.l2_bytes / 2;
  const std::uint64_t sections_pay = half_holds_it ? 100'000 : 70'000;
  constexpr std::uint64_t copies_pay = 2'300'000;
  // A table that fits in a multiprocessor's cache is a single section.
  if (table_bytes <= device.cache_bytes) return "baseline";
  // Five rows are copied in the time of one random read.
  if (samples < device.multiprocessors * sections_pay + rows / 5) return "baseline";
  // A table of half to all of the L2 is best read once and in order.
  if (!half_holds_it && table_bytes <= device.l2_bytes) return "shared_memory";
  return samples < device.multiprocessors * copies_pay ? "cached_limited" : "shared_memory";
}

}  // namespace wrsgpu
