// Interface of an experiment: a program that measures, built on Google Benchmark.
//
// An experiment is one source file that defines `experiment()`, and the lines listed in
// docs/add_an_experiment.md; main.cpp parses the command line, fills in the context of the recorded
// run and starts it.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wrsgpu::experiments {

/// The parameters of a run: the values of the command line, or the defaults of the experiment.
struct Axes {
  std::vector<std::uint64_t> sizes{};
  std::vector<std::string> distributions{};
  /// Empty means all.
  std::vector<std::string> methods{};
  std::vector<std::uint64_t> samples{};
  /// Host threads.
  std::vector<unsigned> threads{};
  /// Rows per section.
  std::vector<std::uint64_t> rows{};

  [[nodiscard]] bool operator==(const Axes&) const = default;
};

/// One measured method. `--methods` selects it by its own name or by that of its family, so that
/// `--methods=sweep` selects `sweep`, `sweep_fixed`, `sweep_arrays`, ...
struct Series {
  std::string name;
  std::string family;
  /// Adds its benchmarks.
  std::function<void(const Axes&)> add;
  /// Its values of the axes for which the command line gives none; the experiment's where these are
  /// empty.
  Axes defaults{};
};

struct Experiment {
  std::string name;
  std::string summary;
  bool needs_gpu = false;
  /// Times on the GPU exclude the host's launches (common/cuda_timer.hpp).
  bool hides_launches = false;
  /// What is timed goes on for seconds, so that there is no cache to flush before a run.
  bool runs_without_pause = false;
  /// All series of one table are consecutive, so that it is built once for all of them: they are
  /// added once for each distribution and size.
  bool by_table = false;
  /// Empty axes are not offered on the command line.
  Axes defaults{};
  std::vector<Series> series{};
};

/// Whether the experiment hides launches. Set by main.cpp, before anything is measured.
inline bool launches_are_hidden = false;

/// Whether the L2 is flushed before each run that is timed on the GPU. Set by main.cpp likewise.
inline bool l2_is_cold = false;

/// Defined by each program.
[[nodiscard]] Experiment experiment();

/// Adds one benchmark. `body` runs its iterations and sets the time of each (SetIterationTime);
/// what it must do before, it does untimed. The statistics over the repetitions are median, minimum
/// and maximum (besides Google Benchmark's mean and deviations).
/// `iterations`, if given, is how many each repetition has: for bodies that time a small part of
/// what they do.
void add_benchmark(const std::string& name, std::function<void(benchmark::State&)> body,
                   std::int64_t iterations = 0);

/// Ends the benchmark with an error instead of a time, and lets the program end with exit code 1.
void fail(benchmark::State& state, const std::string& message);

/// Ends the benchmark with the reason that this machine cannot run it, which is no failure.
void skip(benchmark::State& state, const std::string& reason);

/// Calls of `fail` so far.
[[nodiscard]] int failure_count();

/// The distinct values among 1, 2 and all hardware threads.
[[nodiscard]] std::vector<unsigned> thread_counts();

/// "_2t": the end of the name of a series that uses `threads` host threads.
[[nodiscard]] std::string threads_suffix(unsigned threads);

/// The parts of a benchmark's name, joined by '/'.
[[nodiscard]] std::string join_name(const std::vector<std::string>& parts);

/// Median of an odd number of runs of `timed`, which returns seconds.
[[nodiscard]] double median_seconds(int runs, const std::function<double()>& timed);

}  // namespace wrsgpu::experiments
