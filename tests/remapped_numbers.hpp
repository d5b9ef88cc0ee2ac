// Tests of the remapped variates of a view, for choices that the host or a kernel made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/statistical_report.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/sampler_view.hpp"

namespace wrsgpu::verification {

inline constexpr std::uint64_t remapped_samples = 2'000'000;
inline constexpr std::uint64_t remapped_seed = 11;

/// Chooses with words 0, 1, ... of a stream.
inline std::vector<Choice> make_choices(const std::function<Choice(RandomWord word)>& choose) {
  const random::SplitWords<> words(remapped_seed);
  std::vector<Choice> choices;
  choices.reserve(remapped_samples);
  for (std::uint64_t k = 0; k < remapped_samples; ++k) {
    choices.push_back(choose(RandomWord(words.word(k))));
  }
  return choices;
}

/// Number of variates in each of `parts` equal parts of [0, 1), for each item.
inline std::vector<std::uint64_t> count_in_parts(std::span<const Choice> choices, std::size_t items,
                                                 std::size_t parts) {
  std::vector<std::uint64_t> counts(items * parts);
  for (const Choice& choice : choices) {
    ++counts[choice.item * parts +
             static_cast<std::size_t>(choice.remapped * static_cast<float>(parts))];
  }
  return counts;
}

struct RemappedReport {
  /// Items and variates in cells: passes only if the items have their probabilities, the variates
  /// are uniform, and both are independent.
  StatisticalReport joint;
  /// All variates.
  StatisticalReport uniform;
  /// The variates of the item for which they are least uniform; p times the number of items
  /// (Bonferroni).
  StatisticalReport given_item;

  /// Each of the three fails for correct choices with at most the probability `level`.
  [[nodiscard]] bool passes(double level) const {
    return joint.passes(level) && uniform.passes(level) && given_item.passes(level);
  }
};

inline RemappedReport test_remapped(std::span<const Choice> choices,
                                    const std::vector<double>& weights) {
  constexpr std::size_t parts = 16;
  constexpr std::size_t fine_parts = 1 << 12;
  RemappedReport report;
  std::vector<double> expected;
  for (const double p : expected_probabilities(weights))
    expected.insert(expected.end(), parts, p / parts);
  report.joint = chi_squared(count_in_parts(choices, weights.size(), parts), expected, 20);

  const std::vector<double> equal(fine_parts, 1.0 / fine_parts);
  const std::vector<std::uint64_t> fine = count_in_parts(choices, weights.size(), fine_parts);
  std::vector<std::uint64_t> all(fine_parts);
  for (std::size_t item = 0; item < weights.size(); ++item) {
    const auto own = std::span(fine).subspan(item * fine_parts, fine_parts);
    std::transform(own.begin(), own.end(), all.begin(), all.begin(), std::plus<>());
    StatisticalReport of_item = kolmogorov_smirnov(own, equal);
    of_item.p_value = std::min(1.0, of_item.p_value * static_cast<double>(weights.size()));
    if (item > 0 && of_item.p_value >= report.given_item.p_value) continue;
    report.given_item = of_item;
    report.given_item.detail = "item " + std::to_string(item);
  }
  report.uniform = kolmogorov_smirnov(all, equal);
  return report;
}

inline std::string to_string(const RemappedReport& report) {
  return to_string(report.joint) + "; " + to_string(report.uniform) + "; " +
         to_string(report.given_item);
}

}  // namespace wrsgpu::verification
