#include "common/experiment.hpp"

#include <algorithm>

#include "common/run_settings.hpp"
#include "wrsgpu/core/parallel.hpp"

namespace wrsgpu::experiments {

RunSettings& run_settings() {
  static RunSettings settings;
  return settings;
}

void add_benchmark(const std::string& name, std::function<void(benchmark::State&)> body) {
  const RunSettings& settings = run_settings();
  auto* benchmark = benchmark::RegisterBenchmark(name.c_str(), std::move(body));
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
  // What the command line says holds only where the benchmark does not say anything.
  if (!settings.repetitions_given) benchmark->Repetitions(default_repetitions);
  if (!settings.minimum_time_given) benchmark->MinTime(default_minimum_seconds);
  if (!settings.report_given) benchmark->ReportAggregatesOnly(true);
  benchmark->ComputeStatistics("min", [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  });
  benchmark->ComputeStatistics("max", [](const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  });
}

void fail(benchmark::State& state, const std::string& message) {
  run_settings().failures += 1;
  state.SkipWithError(message.c_str());
}

std::vector<unsigned> thread_counts() {
  std::vector<unsigned> counts{1};
  if (hardware_threads() >= 2) counts.push_back(2);
  if (hardware_threads() > 2) counts.push_back(hardware_threads());
  return counts;
}

std::string threads_suffix(unsigned threads) { return "_" + std::to_string(threads) + "t"; }

std::string join_name(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : "/") + part;
  return name;
}

double median_seconds(int runs, const std::function<double()>& timed) {
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(timed());
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[static_cast<std::size_t>(runs / 2)];
}

}  // namespace wrsgpu::experiments
