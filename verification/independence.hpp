// Are successive samples independent of each other?
#pragma once

#include <cstdint>
#include <span>

#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

struct PairOptions {
  /// Distance of the samples of a pair.
  std::uint64_t lag = 1;
  /// Most bins of items.
  Index bins = 32;
  /// Least number of pairs expected in a cell.
  double minimum_expected = 5;
};

/// Chi-squared test of independence on the pairs (x_k, x_(k+lag)), no sample in two pairs. Items
/// are binned by their position in the cumulative distribution, into bins of about equal
/// probability, the most that the options allow; the margins are those of the samples, so that only
/// dependence is tested, not the distribution. An item heavier than a bin is one by itself. When
/// fewer than two bins are left the p-value is 1. Throws `Error` for a sample that is no item and
/// when `lag` is zero.
[[nodiscard]] StatisticalReport pair_independence(std::span<const Index> samples,
                                                  std::span<const double> probabilities,
                                                  const PairOptions& options = {});

}  // namespace wrsgpu::verification
