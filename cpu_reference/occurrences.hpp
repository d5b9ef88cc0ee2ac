// Maps each cell of the rejection method to its item: an ordered list that contains every item at
// least once (thesis 2.8), as an array or as bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_reference/rank_bit_vector.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The list as an array: 4 bytes per cell.
class OccurrenceArray {
 public:
  OccurrenceArray() = default;
  explicit OccurrenceArray(std::uint64_t cells) : items_(cells) {}

  /// Assigns cells begin .. end - 1 to `item`. Items must be added in order.
  void add(Index item, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t cell = begin; cell < end; ++cell) items_[cell] = item;
  }
  void finish() {}

  [[nodiscard]] std::uint64_t cells() const { return items_.size(); }
  [[nodiscard]] std::size_t bytes() const { return items_.bytes(); }
  [[nodiscard]] Index item(std::uint64_t cell) const { return items_[cell]; }
  /// True for the first cell of an item.
  [[nodiscard]] bool is_first(std::uint64_t cell) const {
    return cell == 0 || items_[cell - 1] != items_[cell];
  }

 private:
  HostBuffer<Index> items_;
};

/// One bit per cell, set where the next item begins: about 1.06 bits per cell. The item of a cell
/// is the number of ones before it.
class OccurrenceBits {
 public:
  OccurrenceBits() = default;
  explicit OccurrenceBits(std::uint64_t cells) : begins_(cells) {}

  void add(Index, std::uint64_t begin, std::uint64_t) { begins_.set(begin); }
  void finish() { begins_.count_blocks(); }

  [[nodiscard]] std::uint64_t cells() const { return begins_.size(); }
  [[nodiscard]] std::size_t bytes() const { return begins_.bytes(); }
  [[nodiscard]] Index item(std::uint64_t cell) const { return begins_.ones_up_to(cell) - 1; }
  [[nodiscard]] bool is_first(std::uint64_t cell) const { return begins_[cell]; }

 private:
  RankBitVector begins_;
};

}  // namespace wrsgpu
