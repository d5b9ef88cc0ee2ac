#include "wrsgpu/detail/sampling/philox_words.hpp"

#include <cstddef>

#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {
namespace {

// Philox blocks evaluated side by side. Enough to hide the latency of the multiplications.
constexpr std::size_t lanes = 32;
constexpr std::size_t chunk_words = 2 * lanes;

// Writes `chunks` * chunk_words words, from block `first_block` on. Each 32-bit word of a counter
// has a 64-bit lane of its own: the round's two wide products then need no shuffling of lanes. The
// words that come from the lower half of a product keep its upper half until they are used.
WRSGPU_TARGET_CLONES void philox_chunks(std::uint64_t seed, std::uint64_t first_block,
                                        std::size_t chunks, std::uint64_t* words) {
  constexpr std::uint64_t low = 0xFFFF'FFFFU;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    std::uint64_t c0[lanes];
    std::uint64_t c1[lanes];
    std::uint64_t c2[lanes];
    std::uint64_t c3[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t index = first_block + chunk * lanes + lane;
      c0[lane] = index & low;
      c1[lane] = (index >> 32) & (low >> 1);  // word 2^64 is word 0, so block 2^63 is block 0
      c2[lane] = 0;
      c3[lane] = 0;
    }
    auto k0 = static_cast<std::uint32_t>(seed);
    auto k1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t p0 = std::uint64_t{random::philox_multiplier0} * c0[lane];
        const std::uint64_t p1 = std::uint64_t{random::philox_multiplier1} * c2[lane];
        c0[lane] = (p1 >> 32) ^ (c1[lane] & low) ^ k0;
        c2[lane] = (p0 >> 32) ^ (c3[lane] & low) ^ k1;
        c1[lane] = p1;
        c3[lane] = p0;
      }
      k0 += random::philox_key_step0;
      k1 += random::philox_key_step1;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      words[chunk * chunk_words + 2 * lane] = c0[lane] | (c1[lane] << 32);
      words[chunk * chunk_words + 2 * lane + 1] = c2[lane] | (c3[lane] << 32);
    }
  }
}

}  // namespace

void philox_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out) {
  std::size_t done = 0;
  if (first % 2 != 0 && !out.empty()) out[done++] = random::philox_word(seed, first);
  const std::size_t chunks = (out.size() - done) / chunk_words;
  philox_chunks(seed, (first + done) / 2, chunks, out.data() + done);
  for (done += chunks * chunk_words; done < out.size(); ++done) {
    out[done] = random::philox_word(seed, first + done);
  }
}

}  // namespace wrsgpu
