// verify_shuffles: measures how far shuffles are from uniform, by the tests of Mitchell, Stokes,
// Frank and Holmes (2021), section 5, on the axes of the paper's figures. Prints one line per point
// of a figure.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csv_file.hpp"
#include "driver.hpp"
#include "shuffle/linear_congruential.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/permutation_sources.hpp"
#include "verification/permutation_tests.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu_commit.hpp"

namespace wrsgpu::verification {
namespace {

constexpr auto description =
    R"(Tests whether shuffles give every permutation equally often, on the axes of the figures of
"Bandwidth-optimal random shuffling for GPUs" (Mitchell and others 2021), section 5:

  chi_squared_by_rounds  Figure 7: chi-squared over the permutations of 5 items
  mmd_by_rounds          the maximum mean discrepancy (MMD) at 5 items, which the text compares
                         with Figure 7
  mmd_by_length          the MMD by number of items, of VariablePhilox and this library's bijection
                         of 24 rounds, the linear congruential generator and std::shuffle

The last two are Figures 8 to 10 together.

Methods: var_philox and lcg (compacted, from the smallest power of two, for var_philox 16 or more),
std_shuffle (Mersenne Twister), lazy (this library's: a Feistel network over a product, by cycle
walking). Each permutation has a seed of its own.

Exit code 1: a method that must pass fails (std_shuffle, and var_philox and lazy of 24 rounds and
more), or lcg passes at every point of a figure with more than 2 items, so that the
test sees nothing.)";

/// Number of items in the tests by rounds, as in the paper.
constexpr Index few_items = 5;
constexpr unsigned recommended_rounds = 24;
constexpr unsigned round_step = 2;
constexpr unsigned max_rounds = 40;

struct Options {
  std::vector<std::string> figures{"chi_squared_by_rounds", "mmd_by_rounds", "mmd_by_length"};
  std::vector<Index> items{5,   8,   9,   16,  17,  32,  33,   64,  65,
                           128, 129, 256, 257, 512, 513, 1024, 1025};
  std::uint64_t permutations = 100'000;
  double false_alarm_rate = 0.01;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::string csv;
};

struct BijectionCase {
  std::string name;
  /// 0 if the method has none
  unsigned rounds;
  PermutationSource source;

  [[nodiscard]] bool must_pass() const {
    return name != "lcg" && (rounds == 0 || rounds >= recommended_rounds);
  }
};

/// VariablePhilox and this library's bijection with 2, 4, ..., max_rounds rounds.
std::vector<BijectionCase> methods_by_rounds(std::uint64_t seed) {
  std::vector<BijectionCase> all;
  const auto add = [&]<std::size_t... step>(std::index_sequence<step...>) {
    (all.push_back({"var_philox", round_step * (step + 1),
                    compacted<shuffle::VariablePhilox<round_step*(step + 1)>>(seed)}),
     ...);
    (all.push_back({"lazy", round_step * (step + 1), walked<round_step*(step + 1)>(seed)}), ...);
  };
  add(std::make_index_sequence<max_rounds / round_step>());
  return all;
}

std::vector<BijectionCase> methods_by_length(std::uint64_t seed) {
  return {{"var_philox", recommended_rounds,
           compacted<shuffle::VariablePhilox<recommended_rounds>>(seed)},
          {"lazy", recommended_rounds, walked<recommended_rounds>(seed)},
          {"std_shuffle", 0, standard_shuffle(seed)},
          {"lcg", 0, compacted<shuffle::LinearCongruential>(seed)}};
}

/// A point of a figure.
struct Point {
  std::string figure;
  BijectionCase method;
  Index items;

  [[nodiscard]] bool counts_all() const { return figure == "chi_squared_by_rounds"; }
};

std::vector<Point> points_of(const Options& options) {
  std::vector<Point> all;
  for (const std::string& figure : options.figures) {
    if (figure == "mmd_by_length") {
      for (const BijectionCase& method : methods_by_length(options.seed)) {
        for (const Index items : options.items) all.push_back({figure, method, items});
      }
      continue;
    }
    for (const BijectionCase& method : methods_by_rounds(options.seed)) {
      all.push_back({figure, method, few_items});
    }
    for (const BijectionCase& method : methods_by_length(options.seed)) {
      if (method.rounds == 0) all.push_back({figure, method, few_items});
    }
  }
  return all;
}

struct Found {
  StatisticalReport report;
  /// Thresholds of the test.
  std::optional<double> chi_squared_threshold;
  std::optional<double> hoeffding_threshold;
  std::optional<double> asymptotic_threshold;
};

Found examine(const Point& point, const Options& options, double level) {
  if (point.counts_all()) {
    return {permutation_chi_squared(point.items, options.permutations, point.method.source,
                                    options.threads),
            chi_squared_threshold(point.items, level),
            {},
            {}};
  }
  const MmdReports reports =
      permutation_mmd(point.items, options.permutations, point.method.source, options.threads);
  return {reports.asymptotic,
          {},
          mmd_threshold_hoeffding(options.permutations, level),
          mmd_threshold_asymptotic(point.items, options.permutations, level)};
}

std::string or_nothing(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

int verify_all(const Options& options) {
  const std::vector<Point> points = points_of(options);
  const FalseAlarmBudget budget(options.false_alarm_rate, points.size());
  CsvFile csv(options.csv,
              "figure,method,rounds,n,permutations,statistic,threshold_chi_squared,"
              "threshold_hoeffding,threshold_asymptotic,level,p_value,verdict,commit");
  fmt::print(
      "{} permutations each; at most {:g} false alarms a run, so p-values below {:.1e} fail\n",
      options.permutations, budget.family_wise_rate(), budget.level());
  fmt::print("{:<22} {:<12} {:>6} {:>6} {:>12} {:>11} {:>11} {:>11}  {}\n", "figure", "method",
             "rounds", "n", "statistic", "threshold", "Hoeffding", "p-value", "verdict");
  int wrong = 0;
  std::map<std::string, bool> lcg_was_caught;
  for (const Point& point : points) {
    const Found found = examine(point, options, budget.level());
    const bool passes = found.report.passes(budget.level());
    // An LCG gives both orders of two items equally often.
    if (point.method.name == "lcg" && point.items > 2) lcg_was_caught[point.figure] |= !passes;
    const bool is_wrong = !passes && point.method.must_pass();
    wrong += is_wrong ? 1 : 0;
    const std::string rounds =
        point.method.rounds > 0 ? std::to_string(point.method.rounds) : std::string();
    const std::string verdict = passes ? "pass" : "fail";
    fmt::print("{:<22} {:<12} {:>6} {:>6} {:>12.5g} {:>11.4g} {:>11} {:>11.3g}  {}\n", point.figure,
               point.method.name, rounds, point.items, found.report.statistic,
               point.counts_all() ? *found.chi_squared_threshold : *found.asymptotic_threshold,
               or_nothing(found.hoeffding_threshold), found.report.p_value,
               is_wrong ? "FAILED" : verdict);
    std::fflush(stdout);  // the next point may take long
    csv.line(fmt::format("{},{},{},{},{},{:.9g},{},{},{},{:.6g},{:.6g},{},{}", point.figure,
                         point.method.name, rounds, point.items, options.permutations,
                         found.report.statistic, or_nothing(found.chi_squared_threshold),
                         or_nothing(found.hoeffding_threshold),
                         or_nothing(found.asymptotic_threshold), budget.level(),
                         found.report.p_value, verdict, source_commit));
  }
  csv.write();
  for (const auto& [figure, was_caught] : lcg_was_caught) {
    if (was_caught) continue;
    fmt::print("{}: lcg passes everywhere; the test sees nothing\n", figure);
    ++wrong;
  }
  return wrong;
}

}  // namespace
}  // namespace wrsgpu::verification

int main(int argc, char** argv) {
  using namespace wrsgpu::verification;
  CLI::App app(description, "verify_shuffles");
  Options options;
  app.add_option("--figure", options.figures, "figures, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(options.figures))
      ->capture_default_str();
  app.add_option("--items", options.items, "numbers of items of mmd_by_length")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{1}, wrsgpu::max_items))
      ->capture_default_str();
  app.add_option("--permutations", options.permutations,
                 "permutations of each test; even, at least 600")
      ->check(CLI::Range(std::uint64_t{600}, std::uint64_t{1} << 32))
      ->check(
          [](const std::string& text) -> std::string {
            return (text.back() - '0') % 2 == 0 ? ""
                                                : "they are compared in pairs: " + text + " is odd";
          },
          "")
      ->capture_default_str();
  app.add_option("--false-alarm-rate", options.false_alarm_rate,
                 "chance that a run fails although everything is right")
      ->check(CLI::Range(1e-300, 1.0))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of everything random, below 2^32")
      ->check(CLI::Range(std::uint64_t{0}, (std::uint64_t{1} << 32) - 1))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "host threads; 0: all")->capture_default_str();
  app.add_option("--csv", options.csv, "also writes the figures' points to this file");
  return run_driver(app, argc, argv, [&] { return verify_all(options); });
}
