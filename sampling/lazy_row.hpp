// What the high half of a random word says about the row that the word chooses.
#pragma once

#include <cstdint>

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// The row and the coin that `choose_row` and `CompactRows::coin` give for the least word that
/// begins with `high`. The others have coins of up to size - 1 more, with a carry into the row.
struct LeastChoice {
  Index row;
  Index coin;
};
[[nodiscard]] WRSGPU_HD inline LeastChoice least_choice(std::uint32_t high, Index size) {
#ifdef __CUDA_ARCH__
  std::uint64_t product;  // in one instruction; the compiler takes two
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(high), "r"(size));
#else
  const std::uint64_t product = std::uint64_t{high} * size;
#endif
  return {static_cast<Index>(product >> 32), static_cast<Index>(product)};
}

/// Whether words that begin alike may choose different items: their coins, from `coin` on, pass the
/// threshold of the row or the end of its bucket. True as well where the first of them is equal to
/// either, which costs less than to find out. Of 2^32 beginnings, about 2 * size are such ties.
[[nodiscard]] WRSGPU_HD inline bool may_tie(Index coin, Index threshold, Index size) {
  return (threshold - coin < size) | (coin > Index{0} - size);
}

}  // namespace wrsgpu
