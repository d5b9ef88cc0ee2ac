// The main function of every experiment.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "experiments/common/axes.hpp"
#include "experiments/common/context.hpp"
#include "experiments/common/experiment.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"

namespace wrsgpu::experiments {
namespace {

/// How it is measured unless the command line says otherwise: each repetition runs for at least so
/// long, and what is reported is the statistics over the repetitions.
const std::vector<std::string> default_options{"--benchmark_repetitions=9",
                                               "--benchmark_min_time=0.02" WRSGPU_BENCHMARK_SECONDS,
                                               "--benchmark_report_aggregates_only=true"};

/// Whether the names of the benchmarks are all that is asked for.
bool only_lists(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option == "--benchmark_list_tests" || option == "--benchmark_list_tests=true";
  });
}

/// 0: measured. 1: not all could be, or a result was wrong. 2: nothing is there to be measured, or
/// Google Benchmark does not know an argument. Other errors of the command line are exceptions.
int run(const Experiment& what, int argc, const char* const* argv) {
  const CommandLine line = parse_command_line(what, argc, argv);
  if (line.help) {
    fmt::print("{}", axes_help(what));
    benchmark::PrintDefaultHelp();
    return 0;
  }
  // Of an option that is given twice the last one holds.
  std::vector<std::string> arguments{what.name};
  arguments.insert(arguments.end(), default_options.begin(), default_options.end());
  arguments.insert(arguments.end(), line.rest.begin(), line.rest.end());
  std::vector<char*> pointers;
  pointers.reserve(arguments.size());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  const std::vector<Series> series = select_series(what, line.axes.methods);
  const bool lists = only_lists(line.rest);
  if (what.needs_gpu && !lists) {
    if (const std::string reason = why_no_cuda_device(); !reason.empty()) {
      for (const Series& skipped : series) {
        fmt::print("skipped: {}/{} needs a GPU: {}\n", what.name, skipped.name, reason);
      }
      return 0;
    }
  }
  launches_are_hidden = what.hides_launches;
  l2_is_cold = line.cold_l2;
  if (!lists) add_context();
  if (!lists && what.needs_gpu) benchmark::AddCustomContext("cold_l2", l2_is_cold ? "yes" : "no");
  for (const Axes& axes :
       what.by_table ? one_for_each_table(line.axes) : std::vector<Axes>{line.axes}) {
    for (const Series& each : series) each.add(axes_of(each, what, axes));
  }
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (matched == 0) {
    fmt::print(stderr, "{}: nothing of this name, size or distribution is measured\n", what.name);
    return 2;
  }
  if (failure_count() > 0) {
    fmt::print(stderr, "{}: {} could not be measured or were wrong\n", what.name, failure_count());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace wrsgpu::experiments

int main(int argc, char** argv) {
  const wrsgpu::experiments::Experiment what = wrsgpu::experiments::experiment();
  try {
    return wrsgpu::experiments::run(what, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", what.name, error.what());
    return 2;
  }
}
