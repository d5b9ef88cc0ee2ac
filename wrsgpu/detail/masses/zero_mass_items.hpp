// Items of positive weight that have mass zero in a table of fixed-point masses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Items of positive weight whose mass is rounded to 0 units of 2^-32 of the mean weight, so that
/// they are never drawn.
struct ZeroMassItems {
  std::uint64_t count = 0;
  std::vector<Index> first;  ///< the first of them, at most `max_listed`
  static constexpr std::size_t max_listed = 5;
};

/// Finds such items among weights in host memory, on up to `threads` threads (0: all). Checks the
/// weights as `summarise` does, in the same pass; the tiles that have a light weight are read
/// again.
[[nodiscard]] ZeroMassItems find_zero_mass_items(WeightsView weights, unsigned threads = 0);

/// Result of a pass over the weights.
struct WeightRange {
  double minimum = 0;  ///< of the positive ones
  double sum = 0;      ///< approximately
};

/// Whether an item of positive weight may have mass zero: a mass differs from the exact one by less
/// than 5/2 + N / 2^27 + m / 2^35 (mass_tiles.hpp).
[[nodiscard]] bool may_have_zero_mass_items(const WeightRange& range, std::uint64_t items);

/// One sentence that describes them, for example "1 item is too light for this table and is never
/// drawn: item 0"; empty if there are none.
[[nodiscard]] std::string describe(const ZeroMassItems& items);

}  // namespace wrsgpu
