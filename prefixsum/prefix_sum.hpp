// Common definitions of the prefix sums (thesis 1.4 and 4.2).
//
// Each method is written once, as a sequence of steps on an *execution*: launches of threads that
// run one step each, or of blocks whose threads share memory. On the device a launch is a kernel
// (device_execution.cuh); on the host it is a loop that also counts the memory operations
// (host_execution.hpp), which tests the index arithmetic without a GPU.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::prefixsum {

/// `inclusive`: item k becomes a_0 + ... + a_k. `exclusive`: a_0 + ... + a_(k-1), and 0 for item 0.
enum class Kind { inclusive, exclusive };

/// Number of memory operations, in items, and of launches of one prefix sum.
struct Traffic {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t launches = 0;

  [[nodiscard]] constexpr std::uint64_t items() const { return reads + writes; }
  constexpr bool operator==(const Traffic&) const = default;
};

/// The array with a 0 prepended, which turns an inclusive prefix sum into an exclusive one (thesis
/// 1.4).
template <class Source>
struct ShiftedRight {
  Source source;
  using Value = typename Source::Value;

  [[nodiscard]] WRSGPU_HD Value load(std::uint64_t i) const {
    return i == 0 ? Value{0} : source.load(i - 1);
  }
};
// Clang before 17 cannot deduce the arguments of aggregates.
template <class Source>
ShiftedRight(Source) -> ShiftedRight<Source>;

}  // namespace wrsgpu::prefixsum
