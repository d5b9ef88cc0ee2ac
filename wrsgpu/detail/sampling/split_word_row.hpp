// Selection of a row by the high half of a random word.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The row and the variate that `choose_row` and `CompactRows::variate` give for the smallest word
/// whose high half is `high`. Other words with this high half have variates that are at most size -
/// 1 greater, with a carry into the row.
struct FirstChoice {
  Index row;
  Index variate;
};
[[nodiscard]] WRSGPU_HD inline FirstChoice first_choice(std::uint32_t high, Index size) {
#ifdef __CUDA_ARCH__
  std::uint64_t product;  // one instruction, where the compiler would use two
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(high), "r"(size));
#else
  const std::uint64_t product = std::uint64_t{high} * size;
#endif
  return {static_cast<Index>(product >> 32), static_cast<Index>(product)};
}

/// The distance from a variate to the first greater one that selects another item: to the threshold
/// of the row, or beyond it, to the end of the bucket. 0 instead of 2^32 for variate 0 of a row
/// with threshold 0. The minimum over several variates tells whether any of them is a possible tie,
/// in fewer instructions than one test for each.
[[nodiscard]] WRSGPU_HD inline Index until_change(Index variate, Index threshold) {
  return (variate < threshold ? threshold : 0) - variate;
}

/// Whether words with the same high half may select different items: their variates are the next
/// `size` ones, of which the first `until` select the same item. About 2 * size of the 2^32 high
/// halves are such ties.
[[nodiscard]] WRSGPU_HD inline bool may_tie(Index until, Index size) { return until < size; }

}  // namespace wrsgpu
