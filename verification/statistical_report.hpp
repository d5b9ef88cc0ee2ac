// Result of a statistical test.
#pragma once

#include <cstdint>
#include <string>

namespace wrsgpu::verification {

struct StatisticalReport {
  /// Name of the test, for example "chi_squared".
  std::string name;
  double statistic = 0;
  /// Probability of a statistic at least this extreme if the samples have the claimed distribution;
  /// exactly 0 if an item of probability zero was drawn.
  double p_value = 1;
  /// Degrees of freedom of the chi-squared tests; 0 for other tests, and if too few samples leave a
  /// single cell (the p-value is then 1).
  double degrees_of_freedom = 0;
  /// Number of samples (two-sample tests: the effective number a b / (a + b)).
  double samples = 0;
  /// The most conspicuous deviation, as text; may be empty.
  std::string detail;

  /// True if the samples pass at significance level `level` (see FalseAlarmBudget).
  [[nodiscard]] bool passes(double level) const { return p_value >= level; }
};

/// One line: name, statistic, p-value, degrees of freedom, samples, detail.
[[nodiscard]] std::string to_string(const StatisticalReport& report);

}  // namespace wrsgpu::verification
