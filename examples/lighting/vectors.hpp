// Vectors and colours, on the host and in kernels.
#pragma once

#include <cmath>

#include "wrsgpu/detail/core/host_device.hpp"

namespace lighting {

inline constexpr float pi = 3.14159265F;

/// A direction if it has length 1; z points up.
struct Vector {
  float x;
  float y;
  float z;
};

WRSGPU_HD inline float dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The direction of this height and longitude.
WRSGPU_HD inline Vector from_cylinder(float z, float longitude) {
  const float radius = std::sqrt(std::fmax(0.0F, 1 - z * z));
  return {radius * std::cos(longitude), radius * std::sin(longitude), z};
}

/// Radiance or irradiance in three linear channels, in arbitrary units.
struct Colour {
  float red;
  float green;
  float blue;
};

WRSGPU_HD inline Colour operator*(float factor, const Colour& c) {
  return {factor * c.red, factor * c.green, factor * c.blue};
}
WRSGPU_HD inline Colour operator+(const Colour& a, const Colour& b) {
  return {a.red + b.red, a.green + b.green, a.blue + b.blue};
}

/// Luminance of a colour of Rec. 709.
WRSGPU_HD inline float luminance(const Colour& c) {
  return 0.2126F * c.red + 0.7152F * c.green + 0.0722F * c.blue;
}

}  // namespace lighting
