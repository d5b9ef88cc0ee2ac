// Array sizes without integer overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// `count * element_bytes`. Throws `Error` for more than 2^62 bytes, so that neither the product
/// nor an allocator's rounding overflows.
[[nodiscard]] inline std::size_t checked_bytes(std::size_t count, std::size_t element_bytes) {
  if (count > (std::uint64_t{1} << 62) / element_bytes) {
    throw OutOfMemory("out of memory: " + std::to_string(count) + " elements of " +
                      std::to_string(element_bytes) + " bytes asked for");
  }
  return count * element_bytes;
}

}  // namespace wrsgpu
