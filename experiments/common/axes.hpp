// The command line of the experiments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/common/experiment.hpp"

namespace wrsgpu::experiments {

/// Parses a count such as 1000000, 1e6 or 2^20. Throws `Error`, naming `option`, for anything else,
/// for fractions and for zero.
[[nodiscard]] std::uint64_t parse_count(std::string_view text, std::string_view option);

struct CommandLine {
  Axes axes;
  bool help = false;
  /// The L2 is flushed before each run; for experiments on the GPU.
  bool cold_l2 = false;
  /// The options that are left for Google Benchmark.
  std::vector<std::string> rest;
};

/// Reads the options of `experiment`'s axes: `--name=value,value` or `--name value,value`. Throws
/// `Error` for values that do not exist, with those that do.
[[nodiscard]] CommandLine parse_command_line(const Experiment& experiment, int argc,
                                             const char* const* argv);

/// The series that `methods` selects, or all of them if it is empty. Throws `Error` for a name that
/// selects none.
[[nodiscard]] std::vector<Series> select_series(const Experiment& experiment,
                                                const std::vector<std::string>& methods);

/// The axes of `series`: `asked`, but its own defaults where `asked` has those of `experiment`.
[[nodiscard]] Axes axes_of(const Series& series, const Experiment& experiment, const Axes& asked);

/// Splits the axes into one `Axes` for each distribution and size; both must have values.
[[nodiscard]] std::vector<Axes> one_for_each_table(const Axes& axes);

/// Describes the axes of `experiment`, for `--help`.
[[nodiscard]] std::string axes_help(const Experiment& experiment);

}  // namespace wrsgpu::experiments
