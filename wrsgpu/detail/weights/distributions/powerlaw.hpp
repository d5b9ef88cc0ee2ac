// Power laws, in order and shuffled.
#pragma once

#include <cmath>
#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i = (i + 1)^-exponent, the largest first; exponent >= 0. Exponents 0.5, 1 and 2 need no pow().
/// Large exponents underflow to weights of zero.
class PowerLaw {
 public:
  explicit PowerLaw(double exponent)
      : exponent_(exponent),
        form_(exponent == 0.5   ? Form::inverse_root
              : exponent == 1.0 ? Form::inverse
              : exponent == 2.0 ? Form::inverse_square
                                : Form::any) {}

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "powerlaw_<exponent>",
            .examples = {"powerlaw_0.5", "powerlaw_1", "powerlaw_1.5", "powerlaw_2"},
            .source = "thesis 1.1.1, power law",
            .summary = "(i+1)^-exponent, largest first (bit-equal on all devices for 0.5, 1, 2)",
            .device_difference = 4 * std::numeric_limits<double>::epsilon()};
  }
  [[nodiscard]] static std::optional<PowerLaw> parse(std::string_view name, std::uint64_t /*n*/,
                                                     std::uint64_t /*seed*/) {
    const auto exponent = number_between(name, "powerlaw_", "");
    return exponent ? std::optional(PowerLaw(*exponent)) : std::nullopt;
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    const double rank = i + Index{1};  // i < max_items, so this does not wrap
    switch (form_) {
      case Form::inverse_root: return 1 / std::sqrt(rank);
      case Form::inverse: return 1 / rank;
      case Form::inverse_square: return 1 / (rank * rank);
      case Form::any: break;
    }
    return std::pow(rank, -exponent_);
  }

 private:
  enum class Form : int { inverse_root, inverse, inverse_square, any };
  double exponent_;
  Form form_;
};

/// The weights of `PowerLaw`, permuted at random by `seed`: item i has the weight of rank
/// permutation(i).
struct ShuffledPowerLaw {
  PowerLaw ranked;
  shuffle::Permutation permutation;

  [[nodiscard]] static DistributionInfo info() {
    DistributionInfo info = PowerLaw::info();
    info.pattern += "_shuffled";
    for (std::string& example : info.examples) example += "_shuffled";
    info.source = "thesis 1.1.1, shuffled power law; 5.2";
    info.summary = "(i+1)^-exponent in random order (bit-equal on all devices for 0.5, 1, 2)";
    info.is_random = true;
    return info;
  }
  [[nodiscard]] static std::optional<ShuffledPowerLaw> parse(std::string_view name, std::uint64_t n,
                                                             std::uint64_t seed) {
    const auto exponent = number_between(name, "powerlaw_", "_shuffled");
    if (!exponent) return std::nullopt;
    return ShuffledPowerLaw{PowerLaw(*exponent), shuffle::Permutation(n, seed)};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return ranked(permutation(i)); }
};

}  // namespace wrsgpu::weights
