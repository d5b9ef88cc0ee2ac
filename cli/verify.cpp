// wrsgpu verify: builds a table, checks it exactly, and tests samples drawn from it.

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "choice.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "numbers.hpp"
#include "registry/verify.hpp"
#include "verdict.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/reconstruction.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "construction/alias_table_split_gpu.cuh"
#endif

namespace wrsgpu::cli {
namespace {

struct VerifyOptions {
  WeightsChoice weights;
  MethodChoice method;
  std::uint64_t samples = 10'000'000;
  RandomState state;
};

// Three tests of one set of samples; a correct sampler fails one time in a million.
constexpr verification::FalseAlarmBudget budget{1e-6, 3};

/// What PSA+ did without PSA, where that is what built the table.
void print_greedy_fraction([[maybe_unused]] const SamplingAlgorithm& built) {
#ifdef WRSGPU_WITH_CUDA
  const auto* table = dynamic_cast<const AliasTableSplitGpu*>(&built);
  if (table == nullptr || !table->method().psa_plus) return;
  print_row("packed greedily", fmt::format("{:.1f}% of the items", 100 * table->greedy_fraction()));
#endif
}

int run_verify(const VerifyOptions& options) {
  require_samples(options.samples);
  BuiltMethod method(options.method);
  const OwnedWeights weights = options.weights.load(options.method.threads);
  method.build(weights, options.weights);
  print_row("weights", options.weights.describe());
  print_row("method", method.describe());
  print_row("build", fmt::format("{:.3f} ms", 1e3 * method.build_seconds()));

  const verification::TableReport table =
      verification::verify(method.algorithm(), weights.view(), {.threads = options.method.threads});
  const bool exact =
      method.method().is_alias_table() && method.options().arithmetic == Arithmetic::fixed_point;
  print_table_report(table, exact);
  print_greedy_fraction(method.algorithm());
  std::vector<verification::StatisticalReport> reports;
  if (method.random()) {
    const verification::Counts counts = draw_counts(method, options.samples, options.state);
    const std::vector<double> expected = verification::expected_probabilities(weights.view());
    print_row("samples", fmt::format("{}, seed {}, offset {}", options.samples, options.state.seed,
                                     options.state.offset));
    reports = {verification::chi_squared(counts, expected),
               verification::kolmogorov_smirnov(counts, expected),
               verification::worst_item(counts, expected)};
  } else {
    print_row("samples", "not tested: what this sampler draws is not random");
  }
  return print_verdict(table, reports, budget.level());
}

}  // namespace

void add_verify(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "verify", "Build a table, check it exactly, and test samples drawn from it");
  const auto options = std::make_shared<VerifyOptions>();
  options->weights.add_to(command);
  options->method.add_to(command);
  add_number(command, "--samples", options->samples, "How many samples to test")
      ->capture_default_str();
  add_random_state(command, options->state);
  command.callback([options, &action] { action = [options] { return run_verify(*options); }; });
}

}  // namespace wrsgpu::cli
