// The order of many clocks by one distribution over cells.
#pragma once

#include <cstdint>

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
  /// Number of cells, at most: these for all clocks, and one more for each octave.
  static constexpr unsigned wanted_count = 1U << 13;
  static constexpr unsigned max_count = wanted_count + octaves;
  static constexpr int part_bits = 10;
  static constexpr unsigned parts = 1U << part_bits;

  /// The octave of a clock.
  [[nodiscard]] WRSGPU_HD static unsigned octave_of(ClockKey key) {
    return static_cast<unsigned>(key >> 52) - first_octave;
  }

  /// For `count` clocks: some hundred for each cell, or some thousand if those are enough cells.
  /// `first_cells` has an element for each octave, which `set` sets.
  WRSGPU_HD ClockCells(Index count, std::uint32_t* first_cells) : first_cells_(first_cells) {
    constexpr unsigned enough = 2048;
    constexpr unsigned least = 80;
    constexpr unsigned most = 1536;
    const unsigned wanted = count / enough;
    cell_clocks_ = wanted < least ? least : wanted > most ? most : wanted;
    const unsigned necessary = count / wanted_count + 1;
    if (cell_clocks_ < necessary) cell_clocks_ = necessary;
  }

  /// How many cells an octave of this many clocks has.
  [[nodiscard]] WRSGPU_HD unsigned count_for(unsigned clocks) const {
    return clocks == 0 ? 0 : (clocks - 1) / cell_clocks_ + 1;
  }
  /// Sets the first cell of an octave, the number of cells of those before.
  WRSGPU_HD void set(unsigned octave, unsigned clocks, unsigned first_cell) const {
    first_cells_[octave] = first_cell << count_bits | count_for(clocks);
  }

  /// The cell of a clock.
  [[nodiscard]] WRSGPU_HD unsigned of(ClockKey key) const {
    return (first_cells_[octave_of(key)] >> count_bits) +
           static_cast<unsigned>(place_in_octave(key) >> 32);
  }
  /// The part of its cell in which a clock is.
  [[nodiscard]] WRSGPU_HD unsigned part_of(ClockKey key) const {
    return static_cast<std::uint32_t>(place_in_octave(key)) >> (32 - part_bits);
  }

 private:
  static constexpr int count_bits = 14;
  static_assert(max_count < 1U << count_bits);

  /// In cells, times 2^32: the leading bits of the mantissa times their number.
  [[nodiscard]] WRSGPU_HD std::uint64_t place_in_octave(ClockKey key) const {
    const auto leading = static_cast<std::uint32_t>(key >> 20);
    const std::uint32_t cells = first_cells_[octave_of(key)] & ((1U << count_bits) - 1);
    return std::uint64_t{leading} * cells;
  }

  unsigned cell_clocks_;        // wanted in each
  std::uint32_t* first_cells_;  // and, in the last bits, the number of cells
};

}  // namespace wrsgpu::detail
