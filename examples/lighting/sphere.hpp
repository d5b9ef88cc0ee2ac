// A picture of a sphere, seen from the front (along +y), as one normal per pixel that shows it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/lighting/vectors.hpp"

namespace lighting {

class Sphere {
 public:
  /// @param size width and height of the picture
  explicit Sphere(std::uint32_t size) : size_(size) {
    const auto coordinate = [size](std::uint32_t i) {
      return (2 * static_cast<float>(i) + 1) / static_cast<float>(size) - 1;
    };
    for (std::uint32_t pixel = 0; pixel < size * size; ++pixel) {
      const float x = coordinate(pixel % size);
      const float z = -coordinate(pixel / size);
      const float rest = 1 - x * x - z * z;
      if (rest <= 0) continue;
      pixels_.push_back(pixel);
      normals_.push_back({x, -std::sqrt(rest), z});
    }
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] const std::vector<Vector>& normals() const { return normals_; }

  /// The picture, row by row; black where the sphere is not.
  ///
  /// @param irradiances one per normal. A white diffuse surface reflects one pi-th of them in every
  /// direction.
  [[nodiscard]] std::vector<Colour> picture(const std::vector<Colour>& irradiances) const {
    std::vector<Colour> all(std::size_t{size_} * size_, Colour{0, 0, 0});
    for (std::size_t i = 0; i < pixels_.size(); ++i) all[pixels_[i]] = 1 / pi * irradiances[i];
    return all;
  }

 private:
  std::uint32_t size_;
  std::vector<std::uint32_t> pixels_;
  std::vector<Vector> normals_;
};

}  // namespace lighting
