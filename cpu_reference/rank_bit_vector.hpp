// A bit vector with constant-time rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu {

/// Bits 0 .. size - 1, of which fewer than 2^32 are ones. For each block of 512 bits (a cache line)
/// the number of ones before it is stored, so that `ones_up_to` reads one of these counts and at
/// most 8 words: two levels, 6.25% more memory than the bits.
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

  /// Computes the counts of the blocks. Must be called after all bits are set and before
  /// `ones_up_to`.
  void count_blocks();

  /// Number of ones among bits 0 .. i, inclusive.
  [[nodiscard]] std::uint32_t ones_up_to(std::uint64_t i) const;

 private:
  static constexpr std::uint64_t block_words = 8;

  std::uint64_t size_ = 0;
  HostBuffer<std::uint64_t> words_;
  HostBuffer<std::uint32_t> ones_before_;  // one per block
};

}  // namespace wrsgpu
