// Items as consecutive intervals in device memory, which the scan and the cutpoint method search on
// the GPU (thesis 2.1, 2.2).
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_reference/interval_position.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// The interval of item i is [end of item i - 1, ends[i]), of the length of its integer mass
/// (wrsgpu/detail/masses/mass_tiles.hpp), as in cpu_reference/intervals.hpp.
struct IntervalsView {
  const std::uint64_t* ends;
  Index size;

  [[nodiscard]] WRSGPU_HD std::uint64_t total() const { return std::uint64_t{size} << 32; }
  /// `interval_position` within the sum of all masses.
  [[nodiscard]] WRSGPU_HD std::uint64_t position(std::uint64_t word) const {
    return interval_position(word, total());
  }
  /// The item whose interval contains `position`, by linear search from item `start`, which must
  /// not be after it.
  [[nodiscard]] WRSGPU_HD Index find_from(Index start, std::uint64_t position) const {
    while (ends[start] <= position) ++start;
    return start;
  }
  /// The item whose interval contains `position`, by bisection.
  [[nodiscard]] WRSGPU_HD Index bisect(std::uint64_t position) const {
    Index low = 0;
    Index high = size;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (ends[middle] <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Owns the ends.
class GpuIntervals {
 public:
  /// Checks weights in device memory, and computes the ends from them. Synchronises. Throws `Error`
  /// for invalid weights, and then keeps the ends.
  void build(WeightsView weights);

  [[nodiscard]] IntervalsView view() const {
    return {ends_.data(), static_cast<Index>(ends_.size())};
  }
  [[nodiscard]] std::size_t bytes() const { return ends_.bytes(); }
  /// Lengths of the intervals, divided by their sum.
  [[nodiscard]] std::vector<double> probabilities() const;

 private:
  DeviceBuffer<std::uint64_t> ends_;
};

}  // namespace wrsgpu
