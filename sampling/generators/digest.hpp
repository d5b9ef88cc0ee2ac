// Digests of byte strings, on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace wrsgpu::random {

/// The digest of `message` by `Hash` (`Md5`, `Sha1`), in the byte order of its RFC.
template <class Hash>
[[nodiscard]] std::array<std::byte, 4 * Hash::words> digest(std::span<const std::byte> message) {
  const auto shift = [](std::size_t byte) {  // shift of a byte in its word
    return 8 * (Hash::big_endian ? 3 - byte % 4 : byte % 4);
  };
  typename Hash::State state = Hash::initial();
  // The message is followed by one set bit, zeros, and its length in bits at the end of a block.
  const std::size_t blocks = (message.size() + 1 + 8 + 63) / 64;
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::uint32_t block[16] = {};
    for (std::size_t j = 0; j < 64; ++j) {
      const std::size_t at = i * 64 + j;
      const auto byte = at < message.size()    ? std::to_integer<std::uint32_t>(message[at])
                        : at == message.size() ? 0x80U
                                               : 0U;
      block[j / 4] |= byte << shift(j);
    }
    if (i + 1 == blocks) {
      block[Hash::big_endian ? 15 : 14] = static_cast<std::uint32_t>(bits);
      block[Hash::big_endian ? 14 : 15] = static_cast<std::uint32_t>(bits >> 32);
    }
    state = Hash::compress(state, block);
  }
  std::array<std::byte, 4 * Hash::words> result;
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = static_cast<std::byte>(state.word[j / 4] >> shift(j));
  }
  return result;
}

}  // namespace wrsgpu::random
