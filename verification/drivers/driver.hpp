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

/// Weights of any number of items, under the name by which they were chosen.
struct WeightSource {
  std::string name;
  std::function<std::vector<double>(Index items)> make;
};

/// Which methods and weights a program runs over.
struct Selection {
  std::vector<std::string> methods;
  std::string variant_part;
  std::vector<std::string> families;
  std::vector<std::string> distributions;
  std::vector<Index> items;
  std::uint64_t seed = 1;
  unsigned threads = 0;

  void add_options(CLI::App& app);

  /// The variants selected, of methods in the order given. Throws `Error` for unknown methods and
  /// when no variant is left.
  [[nodiscard]] std::vector<Variant> variants() const;
  /// The families and distributions given, or all families. Throws `Error` for unknown names.
  [[nodiscard]] std::vector<WeightSource> weight_sources() const;
  /// The sizes given, or else `sizes`.
  [[nodiscard]] std::vector<Index> sizes_or(const std::vector<Index>& sizes) const;
};

/// Parses the command line and runs `body`, which returns the number of failures. Exit code: 0
/// without failures, 1 with, 2 for arguments that do not parse and for an `Error`, which is one
/// line on stderr.
int run_driver(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace wrsgpu::verification
