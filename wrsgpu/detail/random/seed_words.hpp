// Seed material of a hash.
#pragma once

#include <cstdint>

namespace wrsgpu::random {

/// 160 bits to start a generator from; every generator of the device takes them. A hash of fewer
/// bits leaves the last words 0.
struct SeedWords {
  std::uint32_t word[5];
};

}  // namespace wrsgpu::random
