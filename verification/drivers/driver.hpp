// What the verification programs share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "wrsgpu/core/types.hpp"
#include "wrsgpu/verification/variants.hpp"

namespace wrsgpu::verification {

/// Which methods and weights a program runs over.
struct Selection {
  std::vector<std::string> methods;
  std::string variant_part;
  std::vector<std::string> distributions;
  std::vector<Index> items;
  std::uint64_t seed = 1;
  unsigned threads = 0;

  void add_options(CLI::App& app);

  /// The variants selected, of methods in the order given. Throws `Error` for unknown methods and
  /// when no variant is left.
  [[nodiscard]] std::vector<Variant> variants() const;
  /// The names given, or all adversarial families.
  [[nodiscard]] std::vector<std::string> distribution_names() const;
  /// The sizes given, or else `sizes`.
  [[nodiscard]] std::vector<Index> sizes_or(const std::vector<Index>& sizes) const;
};

/// Weights of an adversarial family or of a named distribution of weights/. Throws `Error` for
/// unknown names.
[[nodiscard]] std::vector<double> named_weights(const std::string& name, Index items,
                                                std::uint64_t seed);

/// Parses the command line and runs `body`, which returns the number of failures. Exit code: 0
/// without failures, 1 with, 2 for an `Error`, which is one line on stderr.
int run_driver(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace wrsgpu::verification
