// A `WideSum` in registers.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

/// A sum that does not fit in 64 bits, of a thread, a warp or a block. The compiler would keep a
/// `WideSum` in local memory if it is shuffled. The upper part has the width of `High`.
template <class High>
struct TwoWords {
  std::uint64_t low;
  High high;

  __device__ void add(std::uint64_t more, High more_high = 0) {
    low += more;
    high += more_high + (low < more ? 1 : 0);
  }
  [[nodiscard]] __device__ friend TwoWords operator+(const TwoWords& a, const TwoWords& b) {
    const std::uint64_t low = a.low + b.low;
    return {low, a.high + b.high + (low < a.low ? 1 : 0)};
  }
  template <class Shuffle>
  [[nodiscard]] __device__ TwoWords shuffled(const Shuffle& shuffle) const {
    return {shuffle(low), shuffle(high)};
  }
  [[nodiscard]] __device__ WideSum sum() const { return WideSum{high} << 64 | low; }
};

}  // namespace wrsgpu
