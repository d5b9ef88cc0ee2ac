#include "experiments/common/points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sampling/generators/quasi_random.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"

namespace wrsgpu::experiments {
namespace {

constexpr std::uint64_t seed = 1;

std::string fault_of_random(std::span<const std::uint64_t> counts,
                            std::span<const double> probabilities) {
  for (const auto& report : {verification::chi_squared(counts, probabilities, 20),
                             verification::kolmogorov_smirnov(counts, probabilities)}) {
    if (!report.passes(verification::suite_budget.level())) return to_string(report);
  }
  return {};
}

/// The first 2^k points have one in each interval of 2^-k, so that any [0, x) has its share of them
/// up to one point; other numbers of points are sums of powers of two. Probabilities that are
/// rounded to 53 bits add the rest.
std::string fault_of_sobol(const Deviation& found, std::uint64_t samples) {
  const double bound = std::popcount(samples) + static_cast<double>(samples) * 0x1p-40;
  if (found.largest_cumulative <= bound && found.largest <= 2 * bound) return {};
  return "the discrepancy of the points is lost: " + std::to_string(found.largest_cumulative) +
         " samples where " + std::to_string(bound) + " are possible";
}

}  // namespace

HostBuffer<std::uint64_t> points(std::string_view name, std::uint64_t count) {
  HostBuffer<std::uint64_t> words(count);
  if (name == "random") {
    split_words(seed, 0, words.span());
    return words;
  }
  std::array<unsigned long long, 64> directions{};
  random::first_sobol_directions(directions);
  for (std::uint64_t k = 0; k < count; ++k) words[k] = random::sobol_word(directions, k);
  return words;
}

Deviation deviation(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  std::uint64_t samples = 0;
  for (const std::uint64_t count : counts) samples += count;
  const auto drawn = static_cast<double>(samples);
  Deviation found;
  double squares = 0;
  double expected_before = 0;
  double lost = 0;  // of the sum of expectations, by rounding
  std::uint64_t count_before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = probabilities[i] * drawn;
    const double difference = static_cast<double>(counts[i]) - expected;
    squares += difference * difference;
    found.largest = std::max(found.largest, std::abs(difference));
    const double sum = expected_before + (expected + lost);
    lost = (expected + lost) - (sum - expected_before);
    expected_before = sum;
    count_before += counts[i];
    found.largest_cumulative = std::max(
        found.largest_cumulative, std::abs(static_cast<double>(count_before) - expected_before));
  }
  found.root_mean_square = std::sqrt(squares / static_cast<double>(counts.size()));
  return found;
}

Evenness evenness(std::span<const Index> items, std::span<const double> probabilities,
                  std::string_view point_name, bool is_monotone) {
  const verification::Counts counts =
      verification::count_samples(items, static_cast<Index>(probabilities.size()));
  Evenness found{deviation(counts, probabilities), {}};
  if (point_name == "random") {
    found.fault = fault_of_random(counts, probabilities);
  } else if (is_monotone) {
    found.fault = fault_of_sobol(found.deviation, items.size());
  }
  return found;
}

void show(benchmark::State& state, const Deviation& deviation) {
  state.counters["largest_deviation"] = deviation.largest;
  state.counters["root_mean_square_deviation"] = deviation.root_mean_square;
  state.counters["largest_cumulative_deviation"] = deviation.largest_cumulative;
}

Series point_series(const std::string& name, const MeasurePoints& measure) {
  return {name, name, [=](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                for (const std::string_view point_name : point_names) {
                  for (const std::uint64_t samples : axes.samples) {
                    add_benchmark(
                        join_name({"low_discrepancy", name, std::string(point_name), distribution,
                                   std::to_string(n), std::to_string(samples)}),
                        [=](benchmark::State& state) {
                          measure(state, point_name, distribution, n, samples);
                        });
                  }
                }
              }
            }
          }};
}

Axes point_axes() {
  Axes axes{.sizes = {1000, 1'000'000}, .distributions = {"uniform", "powerlaw_1_shuffled"}};
  for (unsigned exponent = 10; exponent <= 22; exponent += 3) {
    axes.samples.push_back(std::uint64_t{1} << exponent);
  }
  return axes;
}

}  // namespace wrsgpu::experiments
