// wrsgpu_methods: lists the methods of the thesis, samples with them by name, and verifies them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/formats.hpp"
#include "cli/numbers.hpp"
#include "cli/sampling.hpp"
#include "cli/unexpected.hpp"
#include "cli/verdict.hpp"
#include "draw.hpp"
#include "list.hpp"
#include "method_choice.hpp"
#include "registry/verify.hpp"
#include "verification/drivers/driver.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/reconstruction.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "construction/alias_table_split_gpu.cuh"
#endif

namespace {

using namespace wrsgpu;
using namespace wrsgpu::method_driver;
using cli::print_row;

struct Options {
  WeightsChoice weights;
  MethodChoice method;
  std::uint64_t samples = 10'000'000;
  RandomState state;
  std::string output = "-";
  std::string format;

  void add_to(CLI::App& command, std::uint64_t max_samples) {
    weights.add_to(command);
    method.add_to(command);
    cli::add_number(command, "--samples", samples, "How many samples to draw", 1, max_samples)
        ->capture_default_str();
    cli::add_random_state(command, state);
  }
};

struct Built {
  BuiltMethod method;
  OwnedWeights weights;
};

// Unknown names throw before the weights are loaded.
Built build(const Options& options) {
  BuiltMethod method(options.method);
  cli::WeightFile file = options.weights.load(options.method.threads);
  method.build(file.weights, options.weights);
  options.weights.report(file, cli::Reporting());
  return {std::move(method), std::move(file.weights)};
}

// Three tests of one set of samples; a correct sampler fails one time in a million.
constexpr verification::FalseAlarmBudget budget{1e-6, 3};

/// Fraction of items that PSA+ packed greedily, if PSA+ built the table.
void print_greedy_fraction([[maybe_unused]] const SamplingAlgorithm& built) {
#ifdef WRSGPU_WITH_CUDA
  const auto* table = dynamic_cast<const AliasTableSplitGpu*>(&built);
  if (table == nullptr || !table->method().psa_plus) return;
  print_row("packed greedily", fmt::format("{:.1f}% of the items", 100 * table->greedy_fraction()));
#endif
}

std::vector<verification::StatisticalReport> test_samples(const Options& options,
                                                          const BuiltMethod& method,
                                                          WeightsView weights) {
  if (!method.random()) {
    print_row("samples", "not tested: what this sampler draws is not random");
    return {};
  }
  print_row("samples", fmt::format("{}, seed {}, offset {}", options.samples, options.state.seed,
                                   options.state.offset));
  const verification::Counts counts = draw_counts(method, options.samples, options.state);
  const std::vector<double> expected = verification::expected_probabilities(weights);
  return {verification::chi_squared(counts, expected),
          verification::kolmogorov_smirnov(counts, expected),
          verification::worst_item(counts, expected)};
}

int verify(const Options& options) {
  const auto& [method, weights] = build(options);
  const verification::TableReport table =
      verification::verify(method.algorithm(), weights.view(), {.threads = options.method.threads});
  const bool exact =
      method.method().is_alias_table() && method.options().arithmetic == Arithmetic::fixed_point;
  print_row("weights", options.weights.describe());
  print_row("method", method.describe());
  print_row("build", fmt::format("{:.3f} ms", 1e3 * method.build_seconds()));
  cli::print_table_report(table, exact);
  if (exact) {
    const std::string light =
        describe(find_zero_mass_items(weights.view(), options.method.threads));
    if (!light.empty()) print_row("too light", light);
  }
  print_greedy_fraction(method.algorithm());
  const auto reports = test_samples(options, method, weights.view());
  return cli::print_verdict(table, reports, budget.level());
}

int sample(const Options& options) {
  const cli::Format format = cli::choose_format(options.format, options.output);
  cli::OutputFile file(options.output);
  cli::require_room_for_items(file, format, options.samples, sizeof(Index));
  const auto& [method, weights] = build(options);
  static_cast<void>(weights);
  cli::ItemWriter<Index> writer(file, format, options.samples);
  draw(method, options.samples, options.state,
       [&](std::span<const Index> samples) { writer.write(samples); });
  file.commit();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The methods of the thesis by name");
  app.name("wrsgpu_methods");
  app.require_subcommand(0, 1);  // without one, `parse_arguments` throws
  std::function<int()> body;
  app.add_subcommand("list", "List methods, samplers, distributions and what does not go together")
      ->callback([&] {
        body = [] {
          print_all();
          return 0;
        };
      });
  Options options;
  CLI::App& verifies = *app.add_subcommand(
      "verify", "Build a table, check it exactly, and test samples drawn from it");
  options.add_to(verifies, cli::max_counted_samples);
  verifies.callback([&] { body = [&] { return verify(options); }; });
  CLI::App& samples = *app.add_subcommand("sample", "Draw items with a method's sampler");
  options.add_to(samples, std::numeric_limits<std::uint64_t>::max());
  samples.add_option("--output", options.output, "File to write, - for standard output");
  samples.add_option("--format", options.format, "text, csv or npy; default: by the extension");
  samples.callback([&] { body = [&] { return sample(options); }; });
  return verification::run_driver(app, [&] {
    cli::parse_arguments(app, argc, argv);
    return body();
  });
}
