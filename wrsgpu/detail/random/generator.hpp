// The requirements on random number generators, and fixed-width words from any generator.
#pragma once

#include <cstdint>
#include <random>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// A standard uniform random bit generator whose results are full words of 32 or 64 bits, so that
/// they can be split or joined without loss or bias. `PhiloxEngine`, `XorwowEngine` and
/// `MersenneTwister` satisfy it; the first two run on the device, too. Samplers and deviates take
/// the generator as a template parameter; the distributions of std:: and boost:: accept the same
/// types.
template <class G>
concept Generator = std::uniform_random_bit_generator<G> && G::min()
== 0 &&
    (G::max() == std::uint64_t{0xFFFF'FFFF} || G::max() == std::uint64_t{0xFFFF'FFFF'FFFF'FFFF});

/// Whether one result of `G` has 64 bits.
template <Generator G>
inline constexpr bool gives_64_bits = G::max() > std::uint64_t{0xFFFF'FFFF};

/// 64 random bits: one result, or two (the first is the low half).
WRSGPU_NO_EXEC_CHECK
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t word64(G& generator) {
  if constexpr (gives_64_bits<G>) {
    return generator();
  } else {
    const std::uint64_t low = generator();
    return low | (static_cast<std::uint64_t>(generator()) << 32);
  }
}

/// 64 random bits from any standard uniform random bit generator: `word64` of a `Generator`.
/// Results of other ranges, such as those of `std::minstd_rand`, give floor(log2(number of values))
/// bits each, the first ones the highest bits; results beyond the largest power of two are
/// rejected, so that all words are equally probable.
WRSGPU_NO_EXEC_CHECK
template <std::uniform_random_bit_generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t uniform_word64(G& generator) {
  if constexpr (Generator<G>) {
    return word64(generator);
  } else {
    constexpr std::uint64_t greatest = std::uint64_t{G::max()} - std::uint64_t{G::min()};
    constexpr int bits = bit_width(greatest) - ((greatest & (greatest + 1)) == 0 ? 0 : 1);
    constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
    std::uint64_t word = 0;
    for (int have = 0; have < 64; have += bits) {
      std::uint64_t result = 0;
      do {
        result = std::uint64_t{generator()} - std::uint64_t{G::min()};
      } while (result > mask);
      word = word << bits | result;
    }
    return word;
  }
}

/// 32 random bits from one result; of a 64-bit result, the upper half.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint32_t word32(G& generator) {
  return static_cast<std::uint32_t>(gives_64_bits<G> ? word64(generator) >> 32 : generator());
}

}  // namespace wrsgpu::random
