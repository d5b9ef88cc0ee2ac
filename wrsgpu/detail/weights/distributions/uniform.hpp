// Uniform random weights.
#pragma once

#include <bit>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// w_i uniform in (0, 1], a multiple of 2^-52, from word i of the Philox4x32-10 stream `seed`,
/// in a subsequence that no sampler uses.
struct Uniform {
  std::uint64_t seed;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "uniform",
            .examples = {"uniform"},
            .source = "thesis 1.1.1, uniform random weights",
            .summary = "uniform random weights in (0, 1]",
            .is_random = true};
  }
  [[nodiscard]] static std::optional<Uniform> parse(std::string_view name, std::uint64_t /*n*/,
                                                    std::uint64_t seed) {
    return name == "uniform" ? std::optional(Uniform{seed}) : std::nullopt;
  }

  /// The top 52 bits become the fraction of a double in [1, 2), whose distance to 2 is exact.
  /// Unlike a conversion from 64-bit integers, this is one instruction on every vector unit.
  [[nodiscard]] static WRSGPU_HD constexpr double from_word(std::uint64_t word) {
    return 2 - std::bit_cast<double>((word >> 12) | 0x3FF0'0000'0000'0000U);
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const {
    return from_word(random::philox_word(seed, i, random::weights_subsequence));
  }
};

}  // namespace wrsgpu::weights
