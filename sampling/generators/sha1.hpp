// The compression function of SHA-1 (RFC 3174). For seeding only: SHA-1 is no longer secure.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// See `Md5` for the interface.
struct Sha1 {
  static constexpr int words = 5;
  static constexpr bool big_endian = true;
  struct State {
    std::uint32_t word[words];
  };

  [[nodiscard]] WRSGPU_HD static constexpr State initial() {
    return {{0x6745'2301U, 0xEFCD'AB89U, 0x98BA'DCFEU, 0x1032'5476U, 0xC3D2'E1F0U}};
  }

  [[nodiscard]] WRSGPU_HD static constexpr State compress(const State& state,
                                                          const std::uint32_t (&block)[16]) {
    std::uint32_t schedule[16] = {};  // the last 16 words of the message schedule
    std::uint32_t a = state.word[0];
    std::uint32_t b = state.word[1];
    std::uint32_t c = state.word[2];
    std::uint32_t d = state.word[3];
    std::uint32_t e = state.word[4];
    for (unsigned i = 0; i < 80; ++i) {
      std::uint32_t& word = schedule[i % 16];
      word = i < 16 ? block[i]
                    : rotate_left(schedule[(i + 13) % 16] ^ schedule[(i + 8) % 16] ^
                                      schedule[(i + 2) % 16] ^ word,
                                  1);
      std::uint32_t mixed = 0;
      switch (i / 20) {
        case 0: mixed = ((b & c) | (~b & d)) + 0x5A82'7999U; break;
        case 1: mixed = (b ^ c ^ d) + 0x6ED9'EBA1U; break;
        case 2: mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1B'BCDCU; break;
        default: mixed = (b ^ c ^ d) + 0xCA62'C1D6U; break;
      }
      const std::uint32_t next = rotate_left(a, 5) + mixed + e + word;
      e = d;
      d = c;
      c = rotate_left(b, 30);
      b = a;
      a = next;
    }
    return {{state.word[0] + a, state.word[1] + b, state.word[2] + c, state.word[3] + d,
             state.word[4] + e}};
  }

 private:
  [[nodiscard]] WRSGPU_HD static constexpr std::uint32_t rotate_left(std::uint32_t x, int bits) {
    return (x << bits) | (x >> (32 - bits));
  }
};

}  // namespace wrsgpu::random
