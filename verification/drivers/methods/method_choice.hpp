// A method of the thesis, selected by name, and its built structure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cli/weights_choice.hpp"
#include "registry/methods.hpp"

namespace wrsgpu::method_driver {

using cli::OwnedWeights;
using cli::WeightsChoice;

/// A method with its options, by the names given by the user.
struct MethodChoice {
  std::string device = "auto";
  std::string method;
  std::string arithmetic;
  std::string layout;
  std::string sampler;
  std::string generator;  ///< of a GPU sampler, like the next two
  std::string seeding;
  Index section_rows = 0;
  std::string order;  ///< "random" shuffles samples that a GPU sampler draws by sections
  unsigned threads = 0;

  void add_to(CLI::App& command);
};

/// A selected method and its structure.
class BuiltMethod {
 public:
  /// Fills host memory with samples from a built structure.
  using Draw = std::function<void(const SamplingAlgorithm&, std::span<Index>, RandomState)>;

  /// Selects the method, so that a wrong name is reported before any work is done. Omitted options
  /// default to the default method of the device, and to fixed-point arithmetic with compact rows
  /// if the method supports them. Throws `Error` that names the argument.
  explicit BuiltMethod(const MethodChoice& choice);

  /// Error messages name `source`, the origin of the weights.
  void build(const OwnedWeights& weights, const WeightsChoice& source);

  [[nodiscard]] const BuildMethod& method() const { return *method_; }
  [[nodiscard]] const TableOptions& options() const { return options_; }
  [[nodiscard]] const SamplingAlgorithm& algorithm() const { return *algorithm_; }
  [[nodiscard]] double build_seconds() const { return build_seconds_; }
  /// Human-readable, for example "sweep on cpu, fixed_point, compact_rows".
  [[nodiscard]] std::string describe() const;

  /// Draws with the requested sampler, otherwise with the method's own.
  void sample(std::span<Index> out, RandomState state) const;
  /// True if the output is a random sample (see SamplerInfo).
  [[nodiscard]] bool random() const { return random_; }

 private:
  void choose_sampler(const MethodChoice& choice);

  const BuildMethod* method_;
  TableOptions options_;
  Draw draw_;  // empty for the method's own
  bool random_ = true;
  std::unique_ptr<SamplingAlgorithm> algorithm_;
  double build_seconds_ = 0;
};

}  // namespace wrsgpu::method_driver
