// One generator per kernel call per thread (pK-pT): Phillips, Anderson and Glotzer,
// "Pseudo-random number generation for Brownian Dynamics and Dissipative Particle Dynamics
// simulations on GPU devices", Journal of Computational Physics 230, 2011; thesis 1.1.2 and 4.7.1.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/seed_words.hpp"

namespace wrsgpu::random {

/// The digest by `Hash` (`Md5`, `Sha1`) of 24 bytes: `seed`, `time_step` (incremented for every
/// kernel call) and `thread` (unique in the launch), each as 8 bytes, least significant first. Word
/// i of the result holds bytes 4i to 4i + 3 of the digest as `Hash` reads them. Costs one
/// compression and no memory access.
template <class Hash>
[[nodiscard]] WRSGPU_HD constexpr SeedWords pkpt_seed(std::uint64_t seed, std::uint64_t time_step,
                                                      std::uint64_t thread) {
  // The message with its padding (a set bit, zeros, the length of 192 bits) is exactly one block.
  std::uint32_t block[16] = {static_cast<std::uint32_t>(seed),
                             static_cast<std::uint32_t>(seed >> 32),
                             static_cast<std::uint32_t>(time_step),
                             static_cast<std::uint32_t>(time_step >> 32),
                             static_cast<std::uint32_t>(thread),
                             static_cast<std::uint32_t>(thread >> 32),
                             0x80};
  if constexpr (Hash::big_endian) {
    for (int i = 0; i < 7; ++i) {
      const std::uint32_t x = block[i];
      block[i] = (x << 24) | ((x & 0xFF00U) << 8) | ((x >> 8) & 0xFF00U) | (x >> 24);
    }
  }
  block[Hash::big_endian ? 15 : 14] = 192;
  const typename Hash::State state = Hash::compress(Hash::initial(), block);
  SeedWords words{};
  for (int i = 0; i < Hash::words; ++i) words.word[i] = state.word[i];
  return words;
}

/// The generator that `thread` uses in the kernel call `time_step`.
template <class Engine, class Hash>
[[nodiscard]] WRSGPU_HD constexpr Engine pkpt_engine(std::uint64_t seed, std::uint64_t time_step,
                                                     std::uint64_t thread) {
  return Engine(pkpt_seed<Hash>(seed, time_step, thread));
}

}  // namespace wrsgpu::random
