// The 128-bit integer that ISO C++ lacks, in the one place that needs a compiler extension.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

/// An extension of g++, clang and nvcc; `-Wpedantic` warns where it is spelled out.
__extension__ using WideInteger = unsigned __int128;

/// floor(dividend / divisor), for a quotient of at most 2^64 - 2^32. Floating-point estimates from
/// below leave few units: the compiler's own division of 128 bits takes the device longer than all
/// else that balances the tiles of a small table.
[[nodiscard]] WRSGPU_HD inline std::uint64_t wide_quotient(WideInteger dividend,
                                                           std::uint64_t divisor) {
  // Each product below has less than eight roundings of 2^-53, so that it is no estimate from
  // above.
  const double inverse = (1 - 0x1p-49) / static_cast<double>(divisor);
  std::uint64_t quotient = 0;
  // The second estimate is of less than 2^17 units, and leaves less than one more than it lacks.
  for (int step = 0; step < 2; ++step) {
    const auto high = static_cast<double>(static_cast<std::uint64_t>(dividend >> 64));
    const auto low = static_cast<double>(static_cast<std::uint64_t>(dividend));
    const auto estimate = static_cast<std::uint64_t>((high * 0x1p64 + low) * inverse);
    quotient += estimate;
    dividend -= WideInteger{estimate} * divisor;
  }
  while (dividend >= divisor) {
    dividend -= divisor;
    ++quotient;
  }
  return quotient;
}

}  // namespace wrsgpu
