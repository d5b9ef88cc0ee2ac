// The weights that the suites of the samplers draw, on the CPU and on the GPU.
#pragma once

#include <string>
#include <vector>

#include "verification/weight_families.hpp"

namespace wrsgpu::verification {

struct SampledWeights {
  const char* family;
  Index items;

  [[nodiscard]] std::vector<double> make() const { return find_weight_family(family).make(items); }
  [[nodiscard]] std::string label() const {
    return std::string(family) + ", " + std::to_string(items) + " items";
  }
};

/// Small and large, with and without zeros, evenly and very unevenly distributed. All samplers draw
/// them.
inline std::vector<SampledWeights> sampled_weights() {
  return {
      {"equal_tenth", 1},          {"uniform", 3},           {"uniform", 1024},
      {"uniform", 100'003},        {"ramp_from_zero", 2},    {"powerlaw_1_shuffled", 257},
      {"powerlaw_1", 65'537},      {"one_heavy_last", 1000}, {"zeros_and_ones", 1000},
      {"alternating_blocks", 513}, {"sixty_orders", 1000},
  };
}

/// And more, which those on the CPU draw.
inline std::vector<SampledWeights> sampled_weights_of_cpu() {
  std::vector<SampledWeights> all = sampled_weights();
  all.insert(all.end(), {{"equal_tenth", 1000},
                         {"powerlaw_8_shuffled", 33},
                         {"one_light", 64},
                         {"one_nonzero_middle", 4096},
                         {"denormal", 100},
                         {"huge", 100}});
  return all;
}

}  // namespace wrsgpu::verification
