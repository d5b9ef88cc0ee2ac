#include "experiments/common/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "wrsgpu/detail/core/parallel.hpp"

namespace wrsgpu::experiments {

namespace {
int failures = 0;
}  // namespace

void add_benchmark(const std::string& name, std::function<void(benchmark::State&)> body,
                   std::int64_t iterations) {
  // One that cannot be measured, as for lack of memory, leaves the others their results.
  const auto guarded = [body = std::move(body)](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      fail(state, error.what());
    }
  };
  auto* benchmark = benchmark::RegisterBenchmark(name.c_str(), guarded);
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
  if (iterations > 0) benchmark->Iterations(iterations);
  benchmark->ComputeStatistics("min", [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  });
  benchmark->ComputeStatistics("max", [](const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  });
}

void fail(benchmark::State& state, const std::string& message) {
  ++failures;
  state.SkipWithError(message.c_str());
}

void skip(benchmark::State& state, const std::string& reason) {
  state.SkipWithError(("skipped: " + reason).c_str());
}

int failure_count() { return failures; }

std::vector<unsigned> thread_counts() {
  std::vector<unsigned> counts{1};
  if (hardware_threads() >= 2) counts.push_back(2);
  if (hardware_threads() > 2) counts.push_back(hardware_threads());
  return counts;
}

std::string threads_suffix(unsigned threads) { return fmt::format("_{}t", threads); }

std::string join_name(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, "/"));
}

double median_seconds(int runs, const std::function<double()>& timed) {
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(runs));
  for (int run = 0; run < runs; ++run) seconds.push_back(timed());
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[static_cast<std::size_t>(runs / 2)];
}

}  // namespace wrsgpu::experiments
