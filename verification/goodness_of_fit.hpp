// Do samples have the distribution claimed? (thesis 4.9, "Sampling Distribution")
//
// All tests take counts per item. Tests against an expected distribution fail with p = 0 when an
// item of probability zero was drawn; no cell is ever skipped. All throw `Error` for no counts, and
// for arguments of unequal size. They see different faults:
//   chi_squared          many items a little wrong; large single errors
//   worst_item           one item wrong, among however many; exact also for small counts
//   kolmogorov_smirnov   drifts along the order of the items, such as an index off by one part
// Dependence between samples is for independence.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::verification {

using Counts = std::vector<std::uint64_t>;

/// w_i / W, each off by at most two roundings. Throws `Error` as `summarise`.
[[nodiscard]] std::vector<double> expected_probabilities(WeightsView weights);

/// Counts the samples of each of `items` items. Throws `Error` for a sample that is no item, with
/// its position.
[[nodiscard]] Counts count_samples(std::span<const Index> samples, Index items);

/// Cells that are expected to hold fewer samples than this are merged with the next ones.
inline constexpr double customary_expected_count = 5;

/// Pearson's chi-squared test. Consecutive items are merged into cells with an expected count of
/// at least `minimum_expected`.
[[nodiscard]] StatisticalReport chi_squared(std::span<const std::uint64_t> counts,
                                            std::span<const double> probabilities,
                                            double minimum_expected = customary_expected_count);

/// Chi-squared test of the claim that two samples have the same distribution, whichever it is.
[[nodiscard]] StatisticalReport chi_squared_two_sample(
    std::span<const std::uint64_t> first, std::span<const std::uint64_t> second,
    double minimum_expected = customary_expected_count);

/// Largest distance between the empirical and the expected distribution function, with the tail of
/// Kolmogorov's distribution. The items are a discrete distribution, whose samples tie, so the
/// p-value is conservative: the true probability is smaller, much so when single items carry much
/// of the weight.
[[nodiscard]] StatisticalReport kolmogorov_smirnov(std::span<const std::uint64_t> counts,
                                                   std::span<const double> probabilities);

/// Two-sample Kolmogorov-Smirnov test; conservative for the same reason.
[[nodiscard]] StatisticalReport kolmogorov_smirnov_two_sample(
    std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

/// The item whose count is the least likely. Twice the exact binomial tail of each item's count,
/// the smallest of them times N (Bonferroni): no approximation, at any expected count. The
/// statistic is that item's deviation in standard deviations.
[[nodiscard]] StatisticalReport worst_item(std::span<const std::uint64_t> counts,
                                           std::span<const double> probabilities);

}  // namespace wrsgpu::verification
