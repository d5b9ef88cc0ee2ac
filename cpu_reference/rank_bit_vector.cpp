#include "cpu_reference/rank_bit_vector.hpp"

#include <algorithm>
#include <bit>

namespace wrsgpu {

RankBitVector::RankBitVector(std::uint64_t size)
    : size_(size),
      words_((size + 63) / 64),
      ones_before_((words_.size() + block_words - 1) / block_words) {
  std::fill_n(words_.data(), words_.size(), std::uint64_t{0});
  std::fill_n(ones_before_.data(), ones_before_.size(), std::uint32_t{0});
}

void RankBitVector::count_blocks() {
  std::uint32_t ones = 0;
  for (std::uint64_t word = 0; word < words_.size(); ++word) {
    if (word % block_words == 0) ones_before_[word / block_words] = ones;
    ones += static_cast<std::uint32_t>(std::popcount(words_[word]));
  }
}

std::uint32_t RankBitVector::ones_up_to(std::uint64_t i) const {
  const std::uint64_t last = i / 64;
  const std::uint64_t block = last / block_words;
  auto ones = ones_before_[block];
  for (std::uint64_t word = block * block_words; word < last; ++word) {
    ones += static_cast<std::uint32_t>(std::popcount(words_[word]));
  }
  return ones + static_cast<std::uint32_t>(std::popcount(words_[last] << (63 - i % 64)));
}

}  // namespace wrsgpu
