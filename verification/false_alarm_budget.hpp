// Significance levels that bound the false alarms of a whole suite.
#pragma once

#include <cstdint>

namespace wrsgpu::verification {

/// Divides a family-wise false-alarm rate among the tests of a suite (Bonferroni): if every p-value
/// is compared with `level()`, correct samplers fail the suite with probability at most
/// `family_wise_rate`, for any dependence between the tests.
///
/// The suites have fixed seeds, so all runs are alike; the rate is the probability that a change of
/// seeds (or of the order in which a correct sampler uses its random numbers) makes a suite fail.
/// It is exact for worst_item (exact tails) and kolmogorov_smirnov (never exceeds the asymptotic
/// tail, by the Dvoretzky-Kiefer-Wolfowitz-Massart inequality), and as accurate as the chi-squared
/// approximation for the others, which is why they require larger minimum expected counts than the
/// customary 5.
class FalseAlarmBudget {
 public:
  constexpr FalseAlarmBudget(double family_wise_rate, std::uint64_t tests)
      : rate_(family_wise_rate), tests_(tests) {}

  [[nodiscard]] constexpr double family_wise_rate() const { return rate_; }
  /// The number of planned tests; a suite must not run more.
  [[nodiscard]] constexpr std::uint64_t tests() const { return tests_; }
  /// Significance level of each test.
  [[nodiscard]] constexpr double level() const { return rate_ / static_cast<double>(tests_); }

 private:
  double rate_;
  std::uint64_t tests_;
};

/// The budget of the project's suites and drivers: one false alarm in 10^6 runs of up to 10^6
/// tests, 10^-12 per test.
inline constexpr FalseAlarmBudget suite_budget{1e-6, 1'000'000};

}  // namespace wrsgpu::verification
