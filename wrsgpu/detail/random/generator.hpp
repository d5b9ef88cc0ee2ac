// What the library asks of a random number generator, and words of a fixed width from any of them.
#pragma once

#include <cstdint>
#include <random>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// A standard uniform random bit generator whose results are full words of 32 or 64 bits, so that
/// nothing is lost or biased when they are cut or joined. `PhiloxEngine`, `XorwowEngine` and
/// `MersenneTwister` are; the first two run on the device as well. Samplers and deviates take the
/// generator as a template parameter; those of std:: and boost:: run on the same types.
template <class G>
concept Generator = std::uniform_random_bit_generator<G> && G::min()
== 0 &&
    (G::max() == std::uint64_t{0xFFFF'FFFF} || G::max() == std::uint64_t{0xFFFF'FFFF'FFFF'FFFF});

/// Whether one result of `G` has 64 bits.
template <Generator G>
inline constexpr bool gives_64_bits = G::max() > std::uint64_t{0xFFFF'FFFF};

/// 64 random bits: one result, or two (the first is the low half).
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t word64(G& generator) {
  if constexpr (gives_64_bits<G>) {
    return generator();
  } else {
    const std::uint64_t low = generator();
    return low | (static_cast<std::uint64_t>(generator()) << 32);
  }
}

/// 32 random bits from one result; of 64 bits the upper half.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint32_t word32(G& generator) {
  return static_cast<std::uint32_t>(gives_64_bits<G> ? word64(generator) >> 32 : generator());
}

}  // namespace wrsgpu::random
