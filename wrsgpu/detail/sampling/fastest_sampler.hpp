// Heuristic choice of the fastest GPU sampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Properties of a device.
struct SamplingDevice {
  std::uint64_t multiprocessors;
  /// Bytes of shared memory and L1 cache per multiprocessor.
  std::size_t cache_bytes;
  /// Bytes of the L2 cache.
  std::size_t l2_bytes;
};

/// Name of the fastest GPU sampler for `samples` samples in any order from compact rows, according
/// to the measurements of `experiments/beyond_sampling`. `sectioned` pays off above a number of
/// samples that grows with the rows to copy, not with the number of sections.
[[nodiscard]] inline std::string_view choose_split_word_sampler(Index rows, std::uint64_t samples,
                                                                const SamplingDevice& device) {
  // Samples per multiprocessor; fewer for a single section, which needs no search for borders.
  constexpr std::uint64_t section_pays = 7'000;
  constexpr std::uint64_t sections_pay = 27'000;
  constexpr Index row_reads = 12;  // consecutive rows copied in the time of one random access
  const bool is_one = is_one_section(rows, device.cache_bytes);
  const std::uint64_t minimum =
      device.multiprocessors * (is_one ? section_pays : sections_pay) + rows / row_reads;
  return samples < minimum ? "direct" : "sectioned";
}

}  // namespace wrsgpu
