// Row choice from the high half of a random word.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The row and the variate that `choose_row` and `CompactRows::variate` give for the smallest word
/// that begins with `high`. The others have variates of up to size - 1 more, with a carry into the
/// row.
struct FirstChoice {
  Index row;
  Index variate;
};
[[nodiscard]] WRSGPU_HD inline FirstChoice first_choice(std::uint32_t high, Index size) {
#ifdef __CUDA_ARCH__
  std::uint64_t product;  // in one instruction; the compiler takes two
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(high), "r"(size));
#else
  const std::uint64_t product = std::uint64_t{high} * size;
#endif
  return {static_cast<Index>(product >> 32), static_cast<Index>(product)};
}

/// The distance by which a variate may grow before it chooses another item: to the threshold of its
/// row, or beyond that, to the end of the bucket. 0 in place of 2^32, for variate 0 of a row that
/// keeps nothing. Of several variates, the least of these says whether any may; with fewer
/// instructions than one answer for each.
[[nodiscard]] WRSGPU_HD inline Index until_change(Index variate, Index threshold) {
  return (variate < threshold ? threshold : 0) - variate;
}

/// Whether words that begin alike may choose different items: there are `size` variates from the
/// smallest one on, which chooses alike for `until` of them. Of 2^32 beginnings, about 2 * size are
/// such ties.
[[nodiscard]] WRSGPU_HD inline bool may_tie(Index until, Index size) { return until < size; }

}  // namespace wrsgpu
