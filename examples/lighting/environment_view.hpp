// A latitude-longitude environment map: the light that arrives from each direction.
#pragma once

#include <cmath>
#include <cstdint>

#include "examples/lighting/vectors.hpp"
#include "wrsgpu/detail/core/host_device.hpp"

namespace lighting {

/// A position in a pixel: the shares of its area to the left and above, both in (0, 1).
struct Position {
  float u;
  float v;
};

/// A non-owning view. Row 0 touches the zenith, and column 0 begins at longitude 0; the radiance is
/// constant within a pixel.
class EnvironmentView {
 public:
  /// @param radiances width * height, row by row, in the memory of the device that uses the view
  WRSGPU_HD EnvironmentView(const Colour* radiances, std::uint32_t width, std::uint32_t height)
      : radiances_(radiances), width_(width), height_(height) {}

  [[nodiscard]] WRSGPU_HD std::uint32_t pixels() const { return width_ * height_; }
  [[nodiscard]] WRSGPU_HD std::uint32_t width() const { return width_; }
  [[nodiscard]] WRSGPU_HD std::uint32_t height() const { return height_; }
  [[nodiscard]] WRSGPU_HD const Colour& radiance(std::uint32_t pixel) const {
    return radiances_[pixel];
  }

  /// In steradians; proportional to the sine of the polar angle at the pixel's centre.
  [[nodiscard]] WRSGPU_HD float solid_angle(std::uint32_t pixel) const {
    return 2 * pi / static_cast<float>(width_) * cosine_span(pixel / width_);
  }

  /// The direction of a position in a pixel. Uniform positions give directions that are uniform in
  /// the pixel's solid angle, because equal steps of v are equal steps of the cosine.
  [[nodiscard]] WRSGPU_HD Vector direction(std::uint32_t pixel, const Position& at) const {
    const std::uint32_t row = pixel / width_;
    const float top = std::cos(row_angle() * static_cast<float>(row));
    const float z = top - at.v * cosine_span(row);
    const float column = static_cast<float>(pixel % width_) + at.u;
    return from_cylinder(z, 2 * pi / static_cast<float>(width_) * column);
  }

  /// The pixel in which a direction lies.
  [[nodiscard]] WRSGPU_HD std::uint32_t pixel_of(const Vector& direction) const {
    const float polar = std::acos(std::fmin(1.0F, std::fmax(-1.0F, direction.z)));
    float longitude = std::atan2(direction.y, direction.x);
    if (longitude < 0) longitude += 2 * pi;
    const auto row = static_cast<std::uint32_t>(polar / row_angle());
    const auto column =
        static_cast<std::uint32_t>(longitude * static_cast<float>(width_) / (2 * pi));
    return (row < height_ ? row : height_ - 1) * width_ + (column < width_ ? column : width_ - 1);
  }

 private:
  [[nodiscard]] WRSGPU_HD float row_angle() const { return pi / static_cast<float>(height_); }
  /// cos(top) - cos(bottom) of a row, without cancellation.
  [[nodiscard]] WRSGPU_HD float cosine_span(std::uint32_t row) const {
    const float centre = row_angle() * (static_cast<float>(row) + 0.5F);
    return 2 * std::sin(centre) * std::sin(row_angle() / 2);
  }

  const Colour* radiances_;
  std::uint32_t width_;
  std::uint32_t height_;
};

}  // namespace lighting
