// Shared code of the verification programs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "registry/variants.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

/// Weights for any number of items, under the name by which they were selected.
struct WeightSource {
  std::string name;
  std::function<std::vector<double>(Index items)> make;
};

/// The methods and weights that a program covers.
struct Selection {
  std::vector<std::string> methods;
  std::string variant_part;
  std::vector<std::string> families;
  std::vector<std::string> distributions;
  std::vector<Index> items;
  std::uint64_t seed = 1;
  unsigned threads = 0;

  void add_options(CLI::App& app);

  /// The selected variants, in the order of the methods given. Throws `Error` for unknown methods
  /// and if no variant is left.
  [[nodiscard]] std::vector<Variant> variants() const;
  /// The families and distributions given, or all families. Throws `Error` for unknown names.
  [[nodiscard]] std::vector<WeightSource> weight_sources() const;
  /// The sizes given, otherwise `sizes`.
  [[nodiscard]] std::vector<Index> sizes_or(const std::vector<Index>& sizes) const;
};

/// Runs `body`, which parses the command line of `app` and returns the number of failures. Exit
/// code: 0 without failures, 1 with failures, 2 for arguments that do not parse and for an `Error`,
/// which is printed as one line on stderr.
int run_driver(CLI::App& app, const std::function<int()>& body);
/// Parses the command line first.
int run_driver(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace wrsgpu::verification
