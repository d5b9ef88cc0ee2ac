// Test of the independence of successive samples.
#pragma once

#include <cstdint>
#include <span>

#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

struct PairOptions {
  /// Distance between the samples of a pair.
  std::uint64_t lag = 1;
  /// Maximum number of bins of items.
  Index bins = 32;
  /// Minimum expected number of pairs per cell.
  double minimum_expected = 5;
};

/// Chi-squared test of independence on the pairs (x_k, x_(k+lag)), where no sample is in two pairs.
/// Items are binned by their position in the cumulative distribution, into as many bins of about
/// equal probability as the options allow; the margins are those of the samples, so that only
/// dependence is tested, not the distribution. An item heavier than a bin is a bin by itself. If
/// fewer than two bins are left, the p-value is 1. Throws `Error` for a sample that is not an item
/// and if `lag` is zero.
[[nodiscard]] StatisticalReport pair_independence(std::span<const Index> samples,
                                                  std::span<const double> probabilities,
                                                  const PairOptions& options = {});

}  // namespace wrsgpu::verification
