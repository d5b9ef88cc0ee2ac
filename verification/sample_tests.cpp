#include "verification/sample_tests.hpp"

#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"

namespace wrsgpu::verification {

std::vector<StatisticalReport> test_samples(std::span<const Index> samples, WeightsView weights) {
  constexpr double minimum_expected = 20;
  const std::vector<double> probabilities = expected_probabilities(weights);
  const Counts counts = count_samples(samples, static_cast<Index>(probabilities.size()));
  return {chi_squared(counts, probabilities, minimum_expected), worst_item(counts, probabilities),
          kolmogorov_smirnov(counts, probabilities),
          pair_independence(samples, probabilities, {.minimum_expected = minimum_expected})};
}

std::string failures(std::span<const StatisticalReport> reports, double level) {
  std::string lines;
  for (const StatisticalReport& report : reports) {
    if (report.passes(level)) continue;
    if (!lines.empty()) lines += '\n';
    lines += to_string(report);
  }
  return lines;
}

}  // namespace wrsgpu::verification
