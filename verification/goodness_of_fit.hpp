// Goodness-of-fit tests of samples (thesis 4.9, "Sampling Distribution").
//
// All tests take counts per item. Tests against an expected distribution fail with p = 0 if an item
// of probability zero was drawn; no cell is ever skipped. All throw `Error` for no counts, and for
// arguments of unequal size. They detect different faults:
//   chi_squared          many items slightly wrong; large single errors
//   worst_item           one wrong item among any number; exact also for small counts
//   kolmogorov_smirnov   drifts along the order of the items, such as an index off by a part
// independence.hpp tests the dependence between samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::verification {

using Counts = std::vector<std::uint64_t>;

/// w_i / W, each with at most two rounding errors. Throws `Error` as `summarise` does.
[[nodiscard]] std::vector<double> expected_probabilities(WeightsView weights);

/// Adds the samples to the counts of their items. Throws `Error` with the position of a sample that
/// is not an item.
void add_samples(std::span<const Index> samples, std::span<std::uint64_t> counts);
/// Counts the samples of each of `items` items, as `add_samples` does.
[[nodiscard]] Counts count_samples(std::span<const Index> samples, Index items);

/// Cells that are expected to hold fewer samples than this are merged with the next ones.
inline constexpr double customary_expected_count = 5;

/// Pearson's chi-squared test. Consecutive items are merged into cells with an expected count of
/// at least `minimum_expected`.
[[nodiscard]] StatisticalReport chi_squared(std::span<const std::uint64_t> counts,
                                            std::span<const double> probabilities,
                                            double minimum_expected = customary_expected_count);

/// Chi-squared test of the hypothesis that two samples have the same, unknown distribution.
[[nodiscard]] StatisticalReport chi_squared_two_sample(
    std::span<const std::uint64_t> first, std::span<const std::uint64_t> second,
    double minimum_expected = customary_expected_count);

/// Maximum distance between the empirical and the expected distribution function, with the tail of
/// Kolmogorov's distribution. The items are a discrete distribution, whose samples tie, so the
/// p-value is conservative: the true probability is smaller, much smaller if single items have a
/// large part of the weight.
[[nodiscard]] StatisticalReport kolmogorov_smirnov(std::span<const std::uint64_t> counts,
                                                   std::span<const double> probabilities);

/// Two-sample Kolmogorov-Smirnov test; conservative for the same reason.
[[nodiscard]] StatisticalReport kolmogorov_smirnov_two_sample(
    std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

/// The item with the least likely count: the minimum over all items of twice the exact binomial
/// tail of the count, times N (Bonferroni). No approximation, for any expected count. The statistic
/// is the deviation of that item in standard deviations.
[[nodiscard]] StatisticalReport worst_item(std::span<const std::uint64_t> counts,
                                           std::span<const double> probabilities);

}  // namespace wrsgpu::verification
