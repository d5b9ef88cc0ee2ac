// The environment map of the example: a sky with a sun, the ground, and three lamps.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "examples/lighting/environment_view.hpp"
#include "examples/lighting/vectors.hpp"

namespace lighting {

/// Light around a direction, which falls to exp(-1/2) at the angle `radius`.
struct Lamp {
  Vector towards;  ///< of any length
  float radius;    ///< in radians
  Colour radiance;
};

/// The sun, and lamps on both sides and below.
inline constexpr Lamp lamps[] = {
    {{-0.55F, -0.65F, 0.6F}, 0.03F, {2400, 2200, 1900}},
    {{0.9F, -0.35F, 0.1F}, 0.1F, {70, 30, 8}},
    {{-0.8F, -0.2F, -0.5F}, 0.08F, {6, 30, 55}},
    {{0.35F, -0.7F, -0.6F}, 0.06F, {45, 8, 40}},
};

inline Vector normalised(const Vector& v) {
  const float scale = 1 / std::sqrt(dot(v, v));
  return {scale * v.x, scale * v.y, scale * v.z};
}

inline Colour sky_or_ground(const Vector& direction) {
  constexpr Colour horizon{0.9F, 0.95F, 1};
  constexpr Colour zenith{0.2F, 0.4F, 0.9F};
  constexpr Colour ground{0.14F, 0.11F, 0.08F};
  if (direction.z < 0) return ground;
  const float height = std::sqrt(direction.z);
  return (1 - height) * horizon + height * zenith;
}

inline Colour radiance_from(const Vector& direction) {
  Colour sum = sky_or_ground(direction);
  for (const Lamp& lamp : lamps) {
    const float sharpness = 1 / (lamp.radius * lamp.radius);
    const float cosine = dot(direction, normalised(lamp.towards));
    sum = sum + std::exp(sharpness * (cosine - 1)) * lamp.radiance;
  }
  return sum;
}

/// The map, in host memory.
struct Environment {
  std::uint32_t width;
  std::uint32_t height;
  std::vector<Colour> radiances;

  [[nodiscard]] EnvironmentView view() const { return {radiances.data(), width, height}; }
};

inline Environment make_environment(std::uint32_t width, std::uint32_t height) {
  Environment map{width, height, std::vector<Colour>(std::size_t{width} * height)};
  for (std::uint32_t pixel = 0; pixel < map.radiances.size(); ++pixel) {
    map.radiances[pixel] = radiance_from(map.view().direction(pixel, {0.5F, 0.5F}));
  }
  return map;
}

/// The weights from which pixels are drawn: luminance times solid angle.
inline std::vector<float> pixel_weights(const EnvironmentView& map) {
  std::vector<float> weights(map.pixels());
  for (std::uint32_t pixel = 0; pixel < map.pixels(); ++pixel) {
    weights[pixel] = luminance(map.radiance(pixel)) * map.solid_angle(pixel);
  }
  return weights;
}

}  // namespace lighting
