// Ways to draw a direction from which light arrives, from one random word each. They run on the
// host and in kernels.
#pragma once

#include <cstdint>

#include "examples/lighting/environment_view.hpp"
#include "examples/lighting/vectors.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/sampler_view.hpp"

namespace lighting {

/// Of the stream of random words.
inline constexpr std::uint64_t seed = 7;

/// Light from one direction.
struct Incident {
  Vector direction;
  Colour radiance;
  float density;  ///< probability per steradian of drawing this direction
};

/// Splits the 24 bits of a uniform variate into two of 12 bits each, at the centres of their
/// intervals.
[[nodiscard]] WRSGPU_HD inline Position split_variate(float variate) {
  const auto bits = static_cast<std::uint32_t>(variate * 0x1p24F);
  return {(static_cast<float>(bits >> 12) + 0.5F) * 0x1p-12F,
          (static_cast<float>(bits & 0xFFFU) + 0.5F) * 0x1p-12F};
}

/// Importance sampling: draws a pixel of the map in proportion to its light, and a position in it
/// from the remapped variate.
class MapSampling {
 public:
  /// @param pixels draws from `pixel_weights(map)`
  WRSGPU_HD MapSampling(const EnvironmentView& map,
                        const wrsgpu::SamplerViewWithProbabilities& pixels)
      : map_(map), pixels_(pixels) {}

  [[nodiscard]] WRSGPU_HD Incident operator()(wrsgpu::RandomWord word, const Vector&) const {
    const auto [pixel, probability, remapped] = pixels_(word);
    return {map_.direction(pixel, split_variate(remapped)), map_.radiance(pixel),
            probability / map_.solid_angle(pixel)};
  }

 private:
  EnvironmentView map_;
  wrsgpu::SamplerViewWithProbabilities pixels_;
};

/// Draws all directions above the surface with equal density, without knowledge of the map.
class UniformSampling {
 public:
  WRSGPU_HD explicit UniformSampling(const EnvironmentView& map) : map_(map) {}

  [[nodiscard]] WRSGPU_HD Incident operator()(wrsgpu::RandomWord word, const Vector& normal) const {
    const float z = 2 * unit(word.bits() >> 40) - 1;
    const Vector any = from_cylinder(z, 2 * pi * unit(word.bits() & 0xFF'FFFFU));
    const float sign = dot(any, normal) < 0 ? -1.0F : 1.0F;
    const Vector above{sign * any.x, sign * any.y, sign * any.z};
    return {above, map_.radiance(map_.pixel_of(above)), 1 / (2 * pi)};
  }

 private:
  /// The centre of one of 2^24 intervals.
  [[nodiscard]] WRSGPU_HD static float unit(std::uint64_t bits) {
    return static_cast<float>(bits) * 0x1p-24F + 0x1p-25F;
  }

  EnvironmentView map_;
};

/// Estimates the light that arrives at a surface of this normal (its irradiance) as the mean over
/// `samples` directions, drawn from words `first`, `first` + 1, ... of the stream.
template <class Sampling>
[[nodiscard]] WRSGPU_HD Colour estimate_irradiance(const Sampling& sampling, const Vector& normal,
                                                   const wrsgpu::RandomWords& words,
                                                   std::uint64_t first, std::uint32_t samples) {
  double red = 0;
  double green = 0;
  double blue = 0;
  for (std::uint32_t k = 0; k < samples; ++k) {
    const Incident light = sampling(words[first + k], normal);
    const float cosine = dot(light.direction, normal);
    if (cosine <= 0) continue;
    const Colour part = cosine / light.density * light.radiance;
    red += static_cast<double>(part.red);
    green += static_cast<double>(part.green);
    blue += static_cast<double>(part.blue);
  }
  return {static_cast<float>(red / samples), static_cast<float>(green / samples),
          static_cast<float>(blue / samples)};
}

}  // namespace lighting
