// What main.cpp knows of the run and experiment.cpp needs.
#pragma once

namespace wrsgpu::experiments {

/// Repetitions of each benchmark, and the least time that the iterations of one of them take.
inline constexpr int default_repetitions = 9;
inline constexpr double default_minimum_seconds = 0.02;

struct RunSettings {
  /// Whether the command line has Google Benchmark's option for it.
  bool repetitions_given = false;
  bool minimum_time_given = false;
  bool report_given = false;
  /// Calls of `fail`.
  int failures = 0;
};

[[nodiscard]] RunSettings& run_settings();

}  // namespace wrsgpu::experiments
