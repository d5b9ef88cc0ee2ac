// Random words for methods that may have to draw a sample again.
#pragma once

#include <cstdint>

#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/random/philox.hpp"

namespace wrsgpu {

/// The word for attempt `attempt` (from 0) at the sample that word number `index` of the
/// Philox4x32-10 stream `seed` stands for. Attempt 0 is that word, `random::philox_word`; later
/// ones have the attempt in the counter's third word, so that no word is used twice and a sample
/// is a function of (seed, index) however often others were rejected.
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t attempt_word(std::uint64_t seed,
                                                             std::uint64_t index,
                                                             std::uint32_t attempt) {
  const std::uint64_t block_index = index >> 1;
  const random::PhiloxBlock block =
      random::philox4x32({{static_cast<std::uint32_t>(block_index),
                           static_cast<std::uint32_t>(block_index >> 32), attempt, 0}},
                         static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  const int half = static_cast<int>(index & 1) * 2;
  return block.word[half] | (std::uint64_t{block.word[half + 1]} << 32);
}

}  // namespace wrsgpu
