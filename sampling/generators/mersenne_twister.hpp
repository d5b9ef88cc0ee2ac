// The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998; thesis 1.1.2), on the CPU.
#pragma once

#include <cstdint>
#include <random>

namespace wrsgpu::random {

/// That of the standard library; 32-bit results.
using MersenneTwister = std::mt19937;

/// A Mersenne Twister seeded with all 64 bits of `seed` (its own constructor uses 32).
[[nodiscard]] inline MersenneTwister mersenne_twister(std::uint64_t seed) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  return MersenneTwister(words);
}

}  // namespace wrsgpu::random
