// A bit vector that counts its ones in constant time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu {

/// Bits 0 .. size - 1, of which fewer than 2^32 are ones. Blocks of 512 bits (a cache line) have
/// their number of ones before them beside them, so that `ones_up_to` reads one of these counts and
/// at most 8 words: two levels, 6.25% more memory than the bits.
class RankBitVector {
 public:
  RankBitVector() = default;
  /// All bits zero.
  explicit RankBitVector(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return words_.bytes() + ones_before_.bytes(); }

  [[nodiscard]] bool operator[](std::uint64_t i) const {
    return (words_[i / 64] >> i % 64 & 1) != 0;
  }
  void set(std::uint64_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }

  /// Counts the blocks. To be called when all bits are set, before `ones_up_to`.
  void count_blocks();

  /// Number of ones among bits 0 .. i, bit i included.
  [[nodiscard]] std::uint32_t ones_up_to(std::uint64_t i) const;

 private:
  static constexpr std::uint64_t block_words = 8;

  std::uint64_t size_ = 0;
  HostBuffer<std::uint64_t> words_;
  HostBuffer<std::uint32_t> ones_before_;  // one for each block
};

}  // namespace wrsgpu
