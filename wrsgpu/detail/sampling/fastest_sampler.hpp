// Heuristic choices of what is fastest on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"
#include "wrsgpu/detail/table/rows.hpp"
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

/// Whether samples in random order are drawn faster from 16-bit rows, which the draw makes first,
/// than from those of the table, according to the same measurements: the L2 has room for the short
/// rows, but not for the others. Not for all weights if there are few samples; at worst, draws take
/// a tenth longer.
[[nodiscard]] inline bool are_worth_packing(Index rows, std::uint64_t samples,
                                            std::size_t l2_bytes) {
  constexpr std::size_t bytes_read = 8;  // by samples that pay for packing, if the L2 is so large
  constexpr std::size_t hits = 10;       // the L2 serves rows of 8 bytes if it has so many for each
  return samples >= rows / 2 && bytes_read * samples >= l2_bytes && hits * rows >= l2_bytes &&
         sizeof(std::uint16_t) * rows <= l2_bytes;
}

}  // namespace wrsgpu
