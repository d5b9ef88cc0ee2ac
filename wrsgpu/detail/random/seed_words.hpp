// Seed material of a hash.
#pragma once

#include <cstdint>

namespace wrsgpu::random {

/// 160 bits to initialise a generator; every device generator accepts them. Hashes of fewer bits
/// leave the last words 0.
struct SeedWords {
  std::uint32_t word[5];
};

}  // namespace wrsgpu::random
