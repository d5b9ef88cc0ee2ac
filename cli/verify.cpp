// wrsgpu verify: builds a table, checks it exactly, and tests samples drawn from it.

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "commands.hpp"
#include "numbers.hpp"
#include "sampling.hpp"
#include "verdict.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/reconstruction.hpp"

namespace wrsgpu::cli {
namespace {

struct VerifyOptions {
  WeightsChoice weights;
  SamplerArguments sampler;
  Reporting reporting;
  std::uint64_t samples = 10'000'000;
  RandomState state;
};

// Three tests of one set of samples; together they reject a correct sampler with probability 1e-6.
constexpr verification::FalseAlarmBudget budget{1e-6, 3};

verification::Counts draw_counts(const VerifyOptions& options, const Sampling& sampling) {
  verification::Counts counts;
  counts.reserve(sampling.size());
  Progress progress("counting", options.samples, options.reporting.quiet());
  sampling.count(
      options.samples, options.state,
      [&](auto chunk) { counts.insert(counts.end(), chunk.begin(), chunk.end()); }, progress);
  return counts;
}

int run_verify(VerifyOptions& options) {
  const std::unique_ptr<Sampling> sampling =
      make_sampling(options.weights, options.sampler, options.reporting).sampling;
  print_row("weights", options.weights.describe());
  print_row("device", to_string(sampling->device()));
  verification::TableReport table;
  std::vector<double> expected;
  sampling->visit_weights([&](WeightsView weights) {
    sampling->visit_table([&](const HostTable& rows) {
      table = verification::verify_table(rows, Arithmetic::fixed_point, weights,
                                         {.threads = options.sampler.threads});
    });
    expected = verification::expected_probabilities(weights);
  });
  print_table_report(table, true);
  if (const std::string light = describe(sampling->zero_mass_items()); !light.empty()) {
    print_row("too light", light);
  }
  const verification::Counts counts = draw_counts(options, *sampling);
  print_row("samples", fmt::format("{}, seed {}, offset {}", options.samples, options.state.seed,
                                   options.state.offset));
  const std::vector<verification::StatisticalReport> reports{
      verification::chi_squared(counts, expected),
      verification::kolmogorov_smirnov(counts, expected),
      verification::worst_item(counts, expected)};
  const int code = print_verdict(table, reports, budget.level());
  options.reporting.print_timings();
  return code;
}

}  // namespace

void add_verify(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "verify", "Build a table, check it exactly, and test samples drawn from it");
  const auto options = std::make_shared<VerifyOptions>();
  options->weights.add_to(command);
  add_number(command, "--samples", options->samples, "How many samples to test, at most 1e13", 1,
             max_counted_samples)
      ->capture_default_str();
  add_random_state(command, options->state);
  options->sampler.add_to(command);
  options->reporting.add_to(command);
  command.footer(
      "Examples:\n"
      "  wrsgpu verify --weights weights.csv\n"
      "  wrsgpu verify --distribution powerlaw_1 --items 1e6 --samples 100M\n"
      "Exact means: the rows give each item the integer that its weight is rounded to, in units\n"
      "of 2^-32 of the mean weight. Methods of the thesis: wrsgpu_methods verify.");
  command.callback([options, &action] { action = [options] { return run_verify(*options); }; });
}

}  // namespace wrsgpu::cli
