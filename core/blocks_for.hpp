// How many blocks a kernel needs.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// Blocks that do `block_size` things each, for `things` things.
[[nodiscard]] constexpr unsigned blocks_for(std::uint64_t things, std::uint64_t block_size) {
  return static_cast<unsigned>((things + block_size - 1) / block_size);
}

}  // namespace wrsgpu
