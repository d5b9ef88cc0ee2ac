// Weights selected on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "progress.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::cli {

using weights::OwnedWeights;
using weights::WeightFile;

/// Runs `f` and rethrows an `Error` as one about the argument `name`, in place of the library's
/// argument name, unless the message already begins with an option.
template <class F>
decltype(auto) with_argument_name(std::string_view name, F&& f) {
  try {
    return f();
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    std::string_view what = error.what();
    constexpr std::string_view weights = "argument 'weights': ";
    if (what.starts_with(weights)) what.remove_prefix(weights.size());
    const std::string prefix = what.starts_with("--") ? "" : std::string(name) + ": ";
    throw Error("argument " + prefix + std::string(what));
  }
}

/// A file or a named distribution.
struct WeightsChoice {
  std::string file;
  weights::WeightFileOptions reading;  ///< of the file
  std::string distribution;
  std::optional<std::uint64_t> items;  ///< of the distribution; at least 1
  std::uint64_t seed = 0;
  std::string type = "float64";

  void add_to(CLI::App& command);
  /// Adds only the options for reading a file, and returns them.
  std::vector<CLI::Option*> add_reading_to(CLI::App& command);
  /// True for a distribution, false for a file. Throws `Error` if neither or both were given.
  [[nodiscard]] bool is_distribution() const;
  /// Number of weights of the distribution. Throws `Error` for an unknown distribution or type, and
  /// for too many items or if their number is missing.
  [[nodiscard]] std::uint64_t distribution_items() const;
  [[nodiscard]] bool is_float() const { return type == "float32"; }
  /// Reads or generates the weights in host memory. Throws `Error`.
  [[nodiscard]] WeightFile load(unsigned threads) const;
  /// Prints on stderr how the file was read, unless --quiet was given, and always its warnings.
  void report(const WeightFile& read, const Reporting& reporting) const;
  /// Description for output, for example "uniform, float64, seed 1".
  [[nodiscard]] std::string describe() const;
  /// The argument that selected the weights, for messages, for example "--weights w.csv".
  [[nodiscard]] std::string argument() const;
};

}  // namespace wrsgpu::cli
