#include "wrsgpu/detail/sampling/philox_words.hpp"

#include <algorithm>
#include <cstddef>

#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {
namespace {

// Number of Philox blocks evaluated side by side, enough to hide the latency of the
// multiplications.
constexpr std::size_t lanes = 32;
constexpr std::size_t chunk_words = 2 * lanes;
constexpr std::uint64_t low = 0xFFFF'FFFFU;

// Each 32-bit word of a counter has its own 64-bit lane, so that the two wide products of a round
// need no shuffles. Words 1 and 3 come from the lower half of a product, and keep its upper half
// until they are used.
struct Counters {
  std::uint64_t c0[lanes];
  std::uint64_t c1[lanes];
  std::uint64_t c2[lanes];
  std::uint64_t c3[lanes];
};

template <int rounds>
[[gnu::always_inline]] inline void philox(Counters& c, std::uint64_t seed) {
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t p0 = std::uint64_t{random::philox_multiplier0} * c.c0[lane];
      const std::uint64_t p1 = std::uint64_t{random::philox_multiplier1} * c.c2[lane];
      c.c0[lane] = (p1 >> 32) ^ (c.c1[lane] & low) ^ k0;
      c.c2[lane] = (p0 >> 32) ^ (c.c3[lane] & low) ^ k1;
      c.c1[lane] = p1;
      c.c3[lane] = p0;
    }
    k0 += random::philox_key_step0;
    k1 += random::philox_key_step1;
  }
}

// Writes `chunks` * chunk_words words, starting with block `first_block`.
WRSGPU_TARGET_CLONES void philox_chunks(std::uint64_t seed, std::uint64_t first_block,
                                        std::size_t chunks, std::uint64_t* words) {
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    Counters c;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t index = first_block + chunk * lanes + lane;
      c.c0[lane] = index & low;
      c.c1[lane] = (index >> 32) & (low >> 1);  // word 2^64 is word 0, so block 2^63 is block 0
      c.c2[lane] = 0;
      c.c3[lane] = 0;
    }
    philox<10>(c, seed);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      words[chunk * chunk_words + 2 * lane] = c.c0[lane] | (c.c1[lane] << 32);
      words[chunk * chunk_words + 2 * lane + 1] = c.c2[lane] | (c.c3[lane] << 32);
    }
  }
}

// A chunk of split words, starting with quad `first_quad`: half of the lanes compute the high
// halves of quads of words, the other half their low halves.
template <int rounds>
[[gnu::always_inline]] inline void write_split_chunks(std::uint64_t seed, std::uint64_t first_quad,
                                                      std::uint32_t attempt, std::size_t chunks,
                                                      std::uint64_t* words) {
  constexpr std::size_t quads = lanes / 2;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    Counters c;
    for (std::size_t quad = 0; quad < quads; ++quad) {
      const std::uint64_t index = first_quad + chunk * quads + quad;
      c.c0[quad] = c.c0[quads + quad] = index & low;
      c.c1[quad] = c.c1[quads + quad] = (index >> 32) & (low >> 2);  // quad 2^62 is quad 0
      c.c2[quad] = c.c2[quads + quad] = attempt;
      c.c3[quad] = 0;
      c.c3[quads + quad] = random::low_halves_subsequence >> 32;
    }
    philox<rounds>(c, seed);
    std::uint64_t* const out = words + chunk * chunk_words;
    for (std::size_t quad = 0; quad < quads; ++quad) {
      out[4 * quad] = c.c0[quad] << 32 | c.c0[quads + quad];
      out[4 * quad + 1] = c.c1[quad] << 32 | (c.c1[quads + quad] & low);
      out[4 * quad + 2] = c.c2[quad] << 32 | c.c2[quads + quad];
      out[4 * quad + 3] = c.c3[quad] << 32 | (c.c3[quads + quad] & low);
    }
  }
}

WRSGPU_TARGET_CLONES void split_chunks_of_7(std::uint64_t seed, std::uint64_t first_quad,
                                            std::uint32_t attempt, std::size_t chunks,
                                            std::uint64_t* words) {
  write_split_chunks<7>(seed, first_quad, attempt, chunks, words);
}
WRSGPU_TARGET_CLONES void split_chunks_of_10(std::uint64_t seed, std::uint64_t first_quad,
                                             std::uint32_t attempt, std::size_t chunks,
                                             std::uint64_t* words) {
  write_split_chunks<10>(seed, first_quad, attempt, chunks, words);
}

// The high halves alone, a quad of words in each lane.
WRSGPU_TARGET_CLONES void high_half_chunks(std::uint64_t seed, std::uint64_t first_quad,
                                           std::size_t chunks, std::uint32_t* halves) {
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    Counters c;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t index = first_quad + chunk * lanes + lane;
      c.c0[lane] = index & low;
      c.c1[lane] = (index >> 32) & (low >> 2);
      c.c2[lane] = 0;
      c.c3[lane] = 0;
    }
    philox<10>(c, seed);
    std::uint32_t* const out = halves + chunk * 4 * lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      out[4 * lane] = static_cast<std::uint32_t>(c.c0[lane]);
      out[4 * lane + 1] = static_cast<std::uint32_t>(c.c1[lane]);
      out[4 * lane + 2] = static_cast<std::uint32_t>(c.c2[lane]);
      out[4 * lane + 3] = static_cast<std::uint32_t>(c.c3[lane]);
    }
  }
}

template <int rounds>
void split_chunks(std::uint64_t seed, std::uint64_t first_quad, std::uint32_t attempt,
                  std::size_t chunks, std::uint64_t* words) {
  if constexpr (rounds == 7) {
    split_chunks_of_7(seed, first_quad, attempt, chunks, words);
  } else {
    split_chunks_of_10(seed, first_quad, attempt, chunks, words);
  }
}

// Calls `write(first_quad, chunks, out)` for the words from `first` on, `words` of them a chunk. A
// partial chunk at the end, or one that begins within a quad, goes through a buffer.
template <std::size_t words, class Word, class Write>
void write_by_chunks(std::uint64_t first, std::span<Word> out, const Write& write) {
  const auto write_part = [&](std::size_t done, std::size_t skipped) {
    Word part[words];
    write((first + done) / 4, 1, part);
    const std::size_t count = std::min(words - skipped, out.size() - done);
    std::copy_n(part + skipped, count, out.data() + done);
    return done + count;
  };
  std::size_t done = first % 4 != 0 ? write_part(0, first % 4) : 0;
  const std::size_t chunks = (out.size() - done) / words;
  write((first + done) / 4, chunks, out.data() + done);
  done += chunks * words;
  if (done < out.size()) write_part(done, 0);
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

template <int rounds>
void split_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out,
                 std::uint32_t attempt) {
  write_by_chunks<chunk_words>(first, out,
                               [&](std::uint64_t quad, std::size_t chunks, std::uint64_t* words) {
                                 split_chunks<rounds>(seed, quad, attempt, chunks, words);
                               });
}

void split_high_halves(std::uint64_t seed, std::uint64_t first, std::span<std::uint32_t> out) {
  write_by_chunks<4 * lanes>(first, out,
                             [&](std::uint64_t quad, std::size_t chunks, std::uint32_t* halves) {
                               high_half_chunks(seed, quad, chunks, halves);
                             });
}

template void split_words<7>(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out,
                             std::uint32_t attempt);
template void split_words<10>(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out,
                              std::uint32_t attempt);

}  // namespace wrsgpu
