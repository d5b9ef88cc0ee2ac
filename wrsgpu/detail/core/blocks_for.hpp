// How many blocks a kernel needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// What a launch can have (in its first dimension).
inline constexpr std::uint64_t max_blocks = (std::uint64_t{1} << 31) - 1;

/// Blocks that do `block_size` things each, for `things` things. Throws `Error` for more than a
/// launch can have.
[[nodiscard]] inline unsigned blocks_for(std::uint64_t things, std::uint64_t block_size) {
  const std::uint64_t blocks = things / block_size + (things % block_size != 0 ? 1 : 0);
  if (blocks > max_blocks) {
    throw Error(std::to_string(blocks) + " blocks are more than a launch can have");
  }
  return static_cast<unsigned>(blocks);
}

/// The same for kernels whose threads continue until all is done: `maximum` blocks at most.
[[nodiscard]] inline unsigned capped_blocks_for(std::uint64_t things, std::uint64_t block_size,
                                                std::uint64_t maximum = max_blocks) {
  return blocks_for(std::min(things, maximum * block_size), block_size);
}

}  // namespace wrsgpu
