// What the kernels of `GpuChooser` share: its state and storage on the device.
#pragma once

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/detail/without_replacement/clock_cells.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

inline constexpr unsigned choose_threads = 256;  // of a block
inline constexpr unsigned choose_warps = choose_threads / 32;

/// The search for the k-th clock takes some bits of a key at a time.
struct ClockDigits {
  static constexpr int bits = 12;
  static constexpr unsigned count = 1U << bits;
  static constexpr int levels = 5;
};

/// What a call found. All zero at first; for that, what is to be minimised is stored as its
/// complement.
struct ChooseOutcome {
  unsigned found;    ///< clocks before the threshold
  unsigned arrived;  ///< blocks that have added their weights to the estimate
  unsigned long long threshold_complement;  ///< 0: `never`
  unsigned long long invalid_complement;    ///< of the index of the first invalid weight, or 0

  [[nodiscard]] __device__ ClockKey threshold() const { return ~threshold_complement; }
};

/// Results of the kernels, for the following ones. All zero at first.
struct ChooseState {
  /// Numbers that many threads add to lie apart: the memory adds to those of one line in turn.
  static constexpr unsigned apart = 8;

  ChooseOutcome outcome;
  unsigned long long octaves[WeightOctaves::count];  ///< of the weights sampled (`WeightOctaves`)
  unsigned histogram[ClockDigits::levels][ClockDigits::count];
  unsigned octaves_of_clocks[ClockCells::octaves];   ///< number of the clocks found in each
  unsigned cells[ClockCells::max_count][apart];      ///< and in each cell, the first of each
  unsigned before_cells[ClockCells::max_count + 1];  ///< clocks before each, and all of them
};

/// Clocks in any order: keys[j] is that of items[j].
struct Clocks {
  ClockKey* keys;
  Index* items;

  [[nodiscard]] __device__ Ringing operator[](Index slot) const {
    return {keys[slot], items[slot]};
  }
};

/// Storage of a call.
struct ChooseStorage {
  ChooseStorage(DeviceArena& arena, Index capacity)
      : state(arena.take<ChooseState>(1)),
        found{arena.take<ClockKey>(capacity), arena.take<Index>(capacity)},
        by_cells{arena.take<ClockKey>(capacity), arena.take<Index>(capacity)},
        ranks(arena.take<unsigned>(capacity)),
        capacity(capacity) {}

  ChooseState* state;
  Clocks found;
  Clocks by_cells;
  unsigned* ranks;  ///< of the clocks found, among those of their cells
  Index capacity;
};

}  // namespace wrsgpu::detail
