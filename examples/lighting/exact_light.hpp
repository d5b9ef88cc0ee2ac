// What the estimates converge to, and how fast: sums over all pixels of the map, on the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "examples/lighting/environment.hpp"
#include "examples/lighting/environment_view.hpp"
#include "examples/lighting/vectors.hpp"

namespace lighting {

/// The light that arrives at a surface. A variance is that of an estimate from one direction, added
/// up over the three channels; with n directions it is one n-th of that.
struct Expectation {
  Colour irradiance;
  double map_variance;      ///< of `MapSampling`
  double uniform_variance;  ///< of `UniformSampling`
};

/// The integral of the directions over each pixel of a row: its scalar product with a normal is the
/// integral of the cosine.
class RowIntegral {
 public:
  RowIntegral(std::uint32_t row, std::uint32_t width, std::uint32_t height)
      : step_(2 * exact_pi / width) {
    const double top = exact_pi * row / height;
    const double bottom = exact_pi * (row + 1) / height;
    horizontal_ = (bottom - top) / 2 - (std::sin(2 * bottom) - std::sin(2 * top)) / 4;
    vertical_ = step_ * std::sin(bottom - top) * std::sin(bottom + top) / 2;
  }
  [[nodiscard]] Vector pixel(std::uint32_t column) const {
    const double left = step_ * column;
    const double right = step_ * (column + 1);
    return {static_cast<float>(horizontal_ * (std::sin(right) - std::sin(left))),
            static_cast<float>(horizontal_ * (std::cos(left) - std::cos(right))),
            static_cast<float>(vertical_)};
  }

 private:
  static constexpr double exact_pi = 3.14159265358979323846;
  double step_;
  double horizontal_;
  double vertical_;
};

/// Sums over a map. A pixel counts as above or below the surface as a whole; `horizon_error` bounds
/// the error of that.
class ExactLight {
 public:
  explicit ExactLight(const Environment& environment)
      : width_(environment.width), height_(environment.height) {
    const EnvironmentView map = environment.view();
    const std::vector<float> weights = pixel_weights(map);
    double total = 0;
    for (const float weight : weights) total += static_cast<double>(weight);
    pixels_.reserve(weights.size());
    for (std::uint32_t row = 0; row < height_; ++row) {
      const RowIntegral integral(row, width_, height_);
      for (std::uint32_t column = 0; column < width_; ++column) {
        const std::uint32_t at = row * width_ + column;
        const Colour& light = map.radiance(at);
        const float square =
            light.red * light.red + light.green * light.green + light.blue * light.blue;
        const auto probability = static_cast<float>(static_cast<double>(weights[at]) / total);
        pixels_.push_back({integral.pixel(column), light, square / probability,
                           square * 2 * pi / map.solid_angle(at), map.solid_angle(at)});
      }
    }
  }

  [[nodiscard]] Expectation operator()(const Vector& normal) const {
    Sums all;
    for (std::uint32_t row = 0; row < height_; ++row) {
      all.add(sum_row(std::span(pixels_).subspan(std::size_t{row} * width_, width_), normal));
    }
    const double squares = all.red * all.red + all.green * all.green + all.blue * all.blue;
    return {
        {static_cast<float>(all.red), static_cast<float>(all.green), static_cast<float>(all.blue)},
        all.map - squares,
        all.uniform - squares};
  }

  /// The most by which each channel of `irradiance` can be too small. Where the horizon cuts a
  /// pixel of solid angle s and diameter d, the cosine is at most d on both sides of it, and the
  /// smaller of the two integrals that cancel is at most s d / 2.
  [[nodiscard]] Colour horizon_error(const Vector& normal) const {
    const float diameter =
        std::hypot(pi / static_cast<float>(height_), 2 * pi / static_cast<float>(width_));
    Colour sum{0, 0, 0};
    for (const Pixel& pixel : pixels_) {
      if (std::abs(dot(pixel.integral, normal)) <= pixel.solid_angle * diameter) {
        sum = sum + pixel.solid_angle * diameter / 2 * pixel.radiance;
      }
    }
    return sum;
  }

 private:
  struct Pixel {
    Vector integral;
    Colour radiance;
    float map_moment;  ///< times the squared cosine: its part of the second moment
    float uniform_moment;
    float solid_angle;
  };
  template <class Number>
  struct SumsOf {
    Number red = 0;
    Number green = 0;
    Number blue = 0;
    Number map = 0;
    Number uniform = 0;

    template <class Other>
    void add(const SumsOf<Other>& other) {
      red += static_cast<Number>(other.red);
      green += static_cast<Number>(other.green);
      blue += static_cast<Number>(other.blue);
      map += static_cast<Number>(other.map);
      uniform += static_cast<Number>(other.uniform);
    }
  };
  using Sums = SumsOf<double>;

  /// In single precision, which is accurate enough for the pixels of one row.
  [[nodiscard]] static SumsOf<float> sum_row(std::span<const Pixel> row, const Vector& normal) {
    SumsOf<float> sums;
    for (const Pixel& pixel : row) {
      const float cosine = std::fmax(0.0F, dot(pixel.integral, normal));
      sums.add(SumsOf<float>{cosine * pixel.radiance.red, cosine * pixel.radiance.green,
                             cosine * pixel.radiance.blue, cosine * cosine * pixel.map_moment,
                             cosine * cosine * pixel.uniform_moment});
    }
    return sums;
  }

  std::uint32_t width_;
  std::uint32_t height_;
  std::vector<Pixel> pixels_;
};

}  // namespace lighting
