// Grid sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Maximum number of blocks of a launch (in its first dimension).
inline constexpr std::uint64_t max_blocks = (std::uint64_t{1} << 31) - 1;

/// Number of blocks for `elements` elements, `block_size` per block. Throws `Error` if it exceeds
/// `max_blocks`.
[[nodiscard]] inline unsigned blocks_for(std::uint64_t elements, std::uint64_t block_size) {
  const std::uint64_t blocks = elements / block_size + (elements % block_size != 0 ? 1 : 0);
  if (blocks > max_blocks) {
    throw Error(std::to_string(blocks) + " blocks are more than a launch can have");
  }
  return static_cast<unsigned>(blocks);
}

/// Number of blocks of a grid-stride kernel: at most `maximum`.
[[nodiscard]] inline unsigned capped_blocks_for(std::uint64_t elements, std::uint64_t block_size,
                                                std::uint64_t maximum = max_blocks) {
  return blocks_for(std::min(elements, maximum * block_size), block_size);
}

}  // namespace wrsgpu
