// The order of many clocks by one distribution over cells.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"

namespace wrsgpu::detail {

/// Cells of time in ascending order, and parts of these: an octave is divided into as many of equal
/// length as its number of clocks suggests.
///
/// Within a cell clocks ring at a rate that varies little whatever the weights, because a clock
/// rings before 46 / w, which is less than 46 of its octaves: so cells and parts hold few each.
class ClockCells {
 public:
  static constexpr int first_octave = 60;  ///< the least exponent field of a clock
  static constexpr unsigned octaves = 2241 - first_octave;
  /// Number of cells, at most: twice those of 2^bits for all clocks, and one for each octave.
  static constexpr int max_bits = 13;
  static constexpr unsigned max_count = (1U << max_bits) + octaves;
  static constexpr int part_bits = 10;
  static constexpr unsigned parts = 1U << part_bits;

  /// The octave of a clock.
  [[nodiscard]] WRSGPU_HD static unsigned octave_of(ClockKey key) {
    return static_cast<unsigned>(key >> 52) - first_octave;
  }

  /// For `count` clocks: some hundred for each cell, or as many more as 2^max_bits cells demand.
  /// `first_cells` has an element for each octave, which `set` sets.
  WRSGPU_HD ClockCells(Index count, std::uint32_t* first_cells) : first_cells_(first_cells) {
    constexpr int wanted = 7;
    const int least = bit_width(count) + 1 - max_bits;
    cell_bits_ = wanted > least ? wanted : least;
  }

  /// How many cells an octave of this many clocks has.
  [[nodiscard]] WRSGPU_HD unsigned count_for(unsigned clocks) const {
    return clocks == 0 ? 0 : 1U << bits_for(clocks);
  }
  /// Sets the first cell of an octave, the number of cells of those before.
  WRSGPU_HD void set(unsigned octave, unsigned clocks, unsigned first_cell) const {
    first_cells_[octave] = first_cell << 4 | static_cast<unsigned>(bits_for(clocks));
  }

  /// The cell of a clock.
  [[nodiscard]] WRSGPU_HD unsigned of(ClockKey key) const {
    const std::uint32_t entry = first_cells_[octave_of(key)];
    return (entry >> 4) + leading(key, static_cast<int>(entry & 15));
  }
  /// The part of its cell in which a clock is.
  [[nodiscard]] WRSGPU_HD unsigned part_of(ClockKey key) const {
    const auto bits = static_cast<int>(first_cells_[octave_of(key)] & 15);
    return leading(key, bits + part_bits) & (parts - 1);
  }

 private:
  [[nodiscard]] WRSGPU_HD int bits_for(unsigned clocks) const {
    const int bits = bit_width(clocks) - cell_bits_;
    return bits > 0 ? bits : 0;
  }
  /// The first bits of the mantissa.
  [[nodiscard]] WRSGPU_HD static unsigned leading(ClockKey key, int bits) {
    return static_cast<unsigned>((key & ((std::uint64_t{1} << 52) - 1)) >> (52 - bits));
  }

  int cell_bits_;               // log2 of the clocks of a cell
  std::uint32_t* first_cells_;  // and, in the last four bits, log2 of the number of cells
};

}  // namespace wrsgpu::detail
