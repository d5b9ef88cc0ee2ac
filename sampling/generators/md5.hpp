// The compression function of MD5 (RFC 1321). For seeding only: MD5 is no longer secure.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::random {

/// The interface of hashes that digest.hpp and pkpt.hpp use: the words of the state, the byte order
/// of words, the initial state, and the compression of one 64-byte block.
struct Md5 {
  static constexpr int words = 4;
  static constexpr bool big_endian = false;
  struct State {
    std::uint32_t word[words];
  };

  [[nodiscard]] WRSGPU_HD static constexpr State initial() {
    return {{0x6745'2301U, 0xEFCD'AB89U, 0x98BA'DCFEU, 0x1032'5476U}};
  }

  [[nodiscard]] WRSGPU_HD static constexpr State compress(const State& state,
                                                          const std::uint32_t (&block)[16]) {
    // floor(2^32 |sin(i + 1)|)
    constexpr std::uint32_t sines[64] = {
        0xD76A'A478U, 0xE8C7'B756U, 0x2420'70DBU, 0xC1BD'CEEEU, 0xF57C'0FAFU, 0x4787'C62AU,
        0xA830'4613U, 0xFD46'9501U, 0x6980'98D8U, 0x8B44'F7AFU, 0xFFFF'5BB1U, 0x895C'D7BEU,
        0x6B90'1122U, 0xFD98'7193U, 0xA679'438EU, 0x49B4'0821U, 0xF61E'2562U, 0xC040'B340U,
        0x265E'5A51U, 0xE9B6'C7AAU, 0xD62F'105DU, 0x0244'1453U, 0xD8A1'E681U, 0xE7D3'FBC8U,
        0x21E1'CDE6U, 0xC337'07D6U, 0xF4D5'0D87U, 0x455A'14EDU, 0xA9E3'E905U, 0xFCEF'A3F8U,
        0x676F'02D9U, 0x8D2A'4C8AU, 0xFFFA'3942U, 0x8771'F681U, 0x6D9D'6122U, 0xFDE5'380CU,
        0xA4BE'EA44U, 0x4BDE'CFA9U, 0xF6BB'4B60U, 0xBEBF'BC70U, 0x289B'7EC6U, 0xEAA1'27FAU,
        0xD4EF'3085U, 0x0488'1D05U, 0xD9D4'D039U, 0xE6DB'99E5U, 0x1FA2'7CF8U, 0xC4AC'5665U,
        0xF429'2244U, 0x432A'FF97U, 0xAB94'23A7U, 0xFC93'A039U, 0x655B'59C3U, 0x8F0C'CC92U,
        0xFFEF'F47DU, 0x8584'5DD1U, 0x6FA8'7E4FU, 0xFE2C'E6E0U, 0xA301'4314U, 0x4E08'11A1U,
        0xF753'7E82U, 0xBD3A'F235U, 0x2AD7'D2BBU, 0xEB86'D391U,
    };
    constexpr int rotations[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    std::uint32_t a = state.word[0];
    std::uint32_t b = state.word[1];
    std::uint32_t c = state.word[2];
    std::uint32_t d = state.word[3];
    for (unsigned i = 0; i < 64; ++i) {
      std::uint32_t mixed = 0;
      unsigned word = 0;
      switch (i / 16) {
        case 0:
          mixed = (b & c) | (~b & d);
          word = i;
          break;
        case 1:
          mixed = (b & d) | (c & ~d);
          word = 5 * i + 1;
          break;
        case 2:
          mixed = b ^ c ^ d;
          word = 3 * i + 5;
          break;
        default:
          mixed = c ^ (b | ~d);
          word = 7 * i;
          break;
      }
      const std::uint32_t sum = a + mixed + block[word % 16] + sines[i];
      const int rotation = rotations[i / 16][i % 4];
      a = d;
      d = c;
      c = b;
      b += (sum << rotation) | (sum >> (32 - rotation));
    }
    return {{state.word[0] + a, state.word[1] + b, state.word[2] + c, state.word[3] + d}};
  }
};

}  // namespace wrsgpu::random
