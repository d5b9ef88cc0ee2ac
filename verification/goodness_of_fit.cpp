#include "verification/goodness_of_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/kolmogorov_smirnov.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "verification/exact_sum.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

double total_of(std::span<const std::uint64_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

void check_sizes(std::size_t first, std::size_t second, const char* test) {
  if (first != second) {
    throw Error(
        fmt::format("{}: {} counts do not match {} of the other argument", test, first, second));
  }
  if (first == 0) throw Error(fmt::format("{}: argument 'counts' is empty", test));
}

/// Returns p = 0 if an item of probability zero was drawn.
std::optional<StatisticalReport> impossible_draw(const char* test,
                                                 std::span<const std::uint64_t> counts,
                                                 std::span<const double> probabilities) {
  check_sizes(counts.size(), probabilities.size(), test);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] > 0 || counts[i] == 0) continue;
    StatisticalReport report;
    report.name = test;
    report.statistic = static_cast<double>(counts[i]);
    report.p_value = 0;
    report.samples = total_of(counts);
    report.detail =
        fmt::format("item {} has probability zero and was drawn {} times", i, counts[i]);
    return report;
  }
  return std::nullopt;
}

/// Two columns of numbers for the same cells.
struct Cells {
  std::vector<double> first;
  std::vector<double> second;

  [[nodiscard]] Eigen::Map<const Eigen::ArrayXd> first_array() const {
    return {first.data(), static_cast<Eigen::Index>(first.size())};
  }
  [[nodiscard]] Eigen::Map<const Eigen::ArrayXd> second_array() const {
    return {second.data(), static_cast<Eigen::Index>(second.size())};
  }
};

/// Merges consecutive items until `size(first, second)` of the cell reaches `minimum`; the
/// remainder at the end joins the last cell.
template <class First, class Second, class Size>
Cells merge(std::size_t items, const First& first, const Second& second, const Size& size,
            double minimum) {
  Cells cells;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < items; ++i) {
    a += first(i);
    b += second(i);
    if (size(a, b) < minimum) continue;
    cells.first.push_back(a);
    cells.second.push_back(b);
    a = b = 0;
  }
  if (cells.first.empty()) return {{a}, {b}};
  cells.first.back() += a;
  cells.second.back() += b;
  return cells;
}

double chi_squared_tail(double statistic, double degrees_of_freedom) {
  if (degrees_of_freedom < 1) return 1;
  using boost::math::chi_squared_distribution;
  return cdf(complement(chi_squared_distribution<double>(degrees_of_freedom), statistic));
}

double kolmogorov_tail(double distance, double samples) {
  if (!(distance > 0) || !(samples > 0)) return 1;
  using boost::math::kolmogorov_smirnov_distribution;
  const double tail = cdf(complement(kolmogorov_smirnov_distribution<double>(samples), distance));
  return std::clamp(tail, 0.0, 1.0);
}

/// The maximum distance between the running sums of two lists, each of which adds up to 1.
template <class First, class Second>
std::pair<double, std::size_t> largest_distance(std::size_t items, const First& first,
                                                const Second& second) {
  detail::DoubleDouble difference;
  double largest = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < items; ++i) {
    difference = difference + detail::two_sum(first(i), -second(i));
    if (std::abs(difference.high) > largest) {
      largest = std::abs(difference.high);
      where = i;
    }
  }
  return {largest, where};
}

/// min(1, 2 P(X at least as far from the mean, on the same side, as `count`)) for a binomial X.
double binomial_two_sided(double samples, double probability, double count) {
  const boost::math::binomial_distribution<double> distribution(samples,
                                                                std::min(probability, 1.0));
  const double tail = count > samples * probability ? cdf(complement(distribution, count - 1))
                                                    : cdf(distribution, count);
  return std::min(1.0, 2 * tail);
}

}  // namespace

std::string to_string(const StatisticalReport& report) {
  std::string line = fmt::format("{}: statistic {:.6g}, p-value {:.3g}", report.name,
                                 report.statistic, report.p_value);
  if (report.degrees_of_freedom > 0) {
    line += fmt::format(", {:g} degrees of freedom", report.degrees_of_freedom);
  }
  line += fmt::format(", {:.0f} samples", report.samples);
  if (!report.detail.empty()) line += "; " + report.detail;
  return line;
}

std::vector<double> expected_probabilities(WeightsView weights) {
  const WeightSummary summary = summarise(weights, 0);
  return weights.visit([&](auto span) {
    using detail::DoubleDouble;
    DoubleDouble total;
    for (const auto w : span)
      total = total + DoubleDouble{static_cast<double>(w) * summary.scale, 0};
    std::vector<double> probabilities(span.size());
    std::transform(span.begin(), span.end(), probabilities.begin(),
                   [&](auto w) { return static_cast<double>(w) * summary.scale / total.high; });
    return probabilities;
  });
}

void add_samples(std::span<const Index> samples, std::span<std::uint64_t> counts) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (samples[k] >= counts.size()) {
      throw Error(
          fmt::format("sample {} is {}, not one of the {} items", k, samples[k], counts.size()));
    }
    ++counts[samples[k]];
  }
}

Counts count_samples(std::span<const Index> samples, Index items) {
  Counts counts(items, 0);
  add_samples(samples, counts);
  return counts;
}

StatisticalReport chi_squared(std::span<const std::uint64_t> counts,
                              std::span<const double> probabilities, double minimum_expected) {
  constexpr auto name = "chi_squared";
  if (auto failed = impossible_draw(name, counts, probabilities)) return *failed;
  StatisticalReport report;
  report.name = name;
  report.samples = total_of(counts);
  const Cells cells = merge(
      counts.size(), [&](std::size_t i) { return static_cast<double>(counts[i]); },
      [&](std::size_t i) { return probabilities[i] * report.samples; },
      [](double, double expected) { return expected; }, minimum_expected);
  const Eigen::ArrayXd terms =
      (cells.first_array() - cells.second_array()).square() / cells.second_array();
  report.degrees_of_freedom = static_cast<double>(terms.size() - 1);
  if (terms.size() > 1) report.statistic = terms.sum();
  report.p_value = chi_squared_tail(report.statistic, report.degrees_of_freedom);
  return report;
}

StatisticalReport chi_squared_two_sample(std::span<const std::uint64_t> first,
                                         std::span<const std::uint64_t> second,
                                         double minimum_expected) {
  constexpr auto name = "chi_squared_two_sample";
  check_sizes(first.size(), second.size(), name);
  const double n = total_of(first);
  const double m = total_of(second);
  StatisticalReport report;
  report.name = name;
  report.samples = n * m / std::max(1.0, n + m);
  // A cell with a + b samples expects (a + b) n / (n + m) of the first sample.
  const double smaller_share = std::min(n, m) / std::max(1.0, n + m);
  const Cells cells = merge(
      first.size(), [&](std::size_t i) { return static_cast<double>(first[i]); },
      [&](std::size_t i) { return static_cast<double>(second[i]); },
      [&](double a, double b) { return (a + b) * smaller_share; }, minimum_expected);
  report.degrees_of_freedom = static_cast<double>(cells.first.size() - 1);
  if (cells.first.size() > 1 && n > 0 && m > 0) {
    const Eigen::ArrayXd difference =
        cells.first_array() * std::sqrt(m / n) - cells.second_array() * std::sqrt(n / m);
    report.statistic = (difference.square() / (cells.first_array() + cells.second_array())).sum();
  }
  report.p_value = chi_squared_tail(report.statistic, report.degrees_of_freedom);
  return report;
}

StatisticalReport kolmogorov_smirnov(std::span<const std::uint64_t> counts,
                                     std::span<const double> probabilities) {
  constexpr auto name = "kolmogorov_smirnov";
  if (auto failed = impossible_draw(name, counts, probabilities)) return *failed;
  StatisticalReport report;
  report.name = name;
  report.samples = total_of(counts);
  const auto [distance, where] = largest_distance(
      counts.size(),
      [&](std::size_t i) { return static_cast<double>(counts[i]) / std::max(1.0, report.samples); },
      [&](std::size_t i) { return probabilities[i]; });
  report.statistic = distance;
  report.p_value = kolmogorov_tail(distance, report.samples);
  report.detail = fmt::format("largest distance at item {}", where);
  return report;
}

StatisticalReport kolmogorov_smirnov_two_sample(std::span<const std::uint64_t> first,
                                                std::span<const std::uint64_t> second) {
  constexpr auto name = "kolmogorov_smirnov_two_sample";
  check_sizes(first.size(), second.size(), name);
  const double n = std::max(1.0, total_of(first));
  const double m = std::max(1.0, total_of(second));
  StatisticalReport report;
  report.name = name;
  report.samples = n * m / (n + m);
  const auto [distance, where] = largest_distance(
      first.size(), [&](std::size_t i) { return static_cast<double>(first[i]) / n; },
      [&](std::size_t i) { return static_cast<double>(second[i]) / m; });
  report.statistic = distance;
  report.p_value = kolmogorov_tail(distance, report.samples);
  report.detail = fmt::format("largest distance at item {}", where);
  return report;
}

StatisticalReport worst_item(std::span<const std::uint64_t> counts,
                             std::span<const double> probabilities) {
  constexpr auto name = "worst_item";
  if (auto failed = impossible_draw(name, counts, probabilities)) return *failed;
  StatisticalReport report;
  report.name = name;
  report.samples = total_of(counts);
  const auto items = static_cast<double>(counts.size());
  // Among many items, one within two standard deviations cannot be the worst, so its tail need not
  // be computed.
  const double ordinary = counts.size() > 10'000 ? 2 : 0;
  double smallest = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0) continue;
    const auto count = static_cast<double>(counts[i]);
    const double expected = report.samples * probabilities[i];
    const double spread = std::sqrt(expected * (1 - std::min(1.0, probabilities[i])));
    const double deviation = count - expected;
    if (ordinary > 0 && std::abs(deviation) <= ordinary * spread + 1) continue;
    const double tail = binomial_two_sided(report.samples, probabilities[i], count);
    if (tail < smallest) {
      smallest = tail;
      report.statistic = spread > 0 ? deviation / spread : 0;
      report.detail =
          fmt::format("item {} was drawn {} times, {:.6g} expected; p is for the worst of {} items",
                      i, counts[i], expected, counts.size());
    }
  }
  report.p_value = std::min(1.0, items * smallest);
  return report;
}

}  // namespace wrsgpu::verification
