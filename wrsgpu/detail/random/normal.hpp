// Normal deviates.
#pragma once

#include <cmath>
#include <numbers>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::random {

/// A deviate of mean 0 and variance 1 by the cosine half of Box and Muller's transformation ("A
/// note on the generation of random normal deviates", 1958), from two words of 64 bits. At most
/// 8.6 in magnitude.
template <Generator G>
[[nodiscard]] WRSGPU_HD double standard_normal(G& generator) {
  const double radius = std::sqrt(-2.0 * std::log(uniform_positive_double(generator)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform_double(generator));
}

}  // namespace wrsgpu::random
