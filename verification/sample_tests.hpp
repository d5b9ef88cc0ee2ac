// All tests of one sample against its weights, in one call.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "verification/false_alarm_budget.hpp"
#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::verification {

/// Runs chi_squared, worst_item, kolmogorov_smirnov, and pair_independence of neighbours, in this
/// order. Cells of the chi-squared tests expect at least 20 samples: far out in the tail, where a
/// FalseAlarmBudget tests, the customary 5 are too few for the approximation.
[[nodiscard]] std::vector<StatisticalReport> test_samples(std::span<const Index> samples,
                                                          WeightsView weights);

/// The reports that fail at `level`, one line each; empty when all pass.
[[nodiscard]] std::string failures(std::span<const StatisticalReport> reports, double level);

}  // namespace wrsgpu::verification
