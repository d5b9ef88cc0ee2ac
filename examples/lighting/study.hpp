// The comparison of both ways to draw directions: their errors at equal numbers of samples, and
// pictures. It runs on the host; `render` may use a GPU.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "examples/lighting/environment.hpp"
#include "examples/lighting/exact_light.hpp"
#include "examples/lighting/image.hpp"
#include "examples/lighting/sphere.hpp"
#include "examples/lighting/vectors.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/write_file_atomically.hpp"
#include "wrsgpu/error.hpp"

namespace lighting {

enum class Strategy { uniform, importance };

inline std::string_view to_string(Strategy strategy) {
  return strategy == Strategy::uniform ? "uniform" : "importance";
}

/// Estimates the irradiance at each normal of the sphere: at normal i from the words
/// [first + i * samples, first + (i + 1) * samples).
using Render = std::function<std::vector<Colour>(Strategy strategy, std::uint32_t samples,
                                                 std::uint64_t first)>;

/// The size of a study.
struct Scale {
  std::uint32_t map_height;  ///< the map is as wide as it is high twice
  std::uint32_t sphere_size;
  std::uint32_t max_samples;  ///< per pixel, a power of 4
};
inline constexpr Scale small_scale{128, 32, 1024};
inline constexpr Scale full_scale{512, 64, 4096};

/// The expectation at each normal.
inline std::vector<Expectation> expectations(const ExactLight& light,
                                             const std::vector<Vector>& normals) {
  std::vector<Expectation> all(normals.size());
  wrsgpu::parallel_for(normals.size(), 0, [&](std::uint64_t i) { all[i] = light(normals[i]); });
  return all;
}

inline double squared_distance(const Colour& a, const Colour& b) {
  const auto square = [](float difference) {
    return static_cast<double>(difference) * static_cast<double>(difference);
  };
  return square(a.red - b.red) + square(a.green - b.green) + square(a.blue - b.blue);
}

/// Root-mean-square errors of a picture, relative to the mean of the exact one: over all pixels of
/// the sphere and all channels.
class RelativeError {
 public:
  explicit RelativeError(std::span<const Expectation> exact) : exact_(exact) {
    for (const Expectation& each : exact) {
      const Colour& c = each.irradiance;
      mean_ += static_cast<double>(c.red + c.green + c.blue);
      map_variance_ += each.map_variance;
      uniform_variance_ += each.uniform_variance;
    }
    mean_ /= values();
  }

  [[nodiscard]] double measured(const std::vector<Colour>& picture) const {
    double sum = 0;
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      sum += squared_distance(picture[i], exact_[i].irradiance);
    }
    return relative(sum);
  }
  /// From the variances.
  [[nodiscard]] double expected(Strategy strategy, std::uint32_t samples) const {
    return relative((strategy == Strategy::uniform ? uniform_variance_ : map_variance_) / samples);
  }

 private:
  [[nodiscard]] double values() const { return 3 * static_cast<double>(exact_.size()); }
  [[nodiscard]] double relative(double sum_of_squares) const {
    return std::sqrt(sum_of_squares / values()) / mean_;
  }

  std::span<const Expectation> exact_;
  double mean_ = 0;
  double map_variance_ = 0;
  double uniform_variance_ = 0;
};

struct Measurement {
  Strategy strategy;
  std::uint32_t samples;  ///< per pixel
  double error;           ///< see `RelativeError`
  double expected_error;
};

/// What is lit, and by what.
struct Scene {
  Environment map;
  Sphere sphere;
  std::vector<Expectation> exact;  ///< per normal of the sphere

  explicit Scene(const Scale& scale)
      : map(make_environment(2 * scale.map_height, scale.map_height)),
        sphere(scale.sphere_size),
        exact(expectations(ExactLight(map), sphere.normals())) {}
};

/// Renders with 1, 4, 16, ..., `max_samples` samples per pixel, each time with other random words,
/// and prints the errors and how many directions per second are drawn and used.
inline std::vector<Measurement> measure(const std::vector<Expectation>& exact, const Render& render,
                                        std::uint32_t max_samples) {
  const RelativeError error(exact);
  std::vector<Measurement> all;
  std::uint64_t word = 0;
  for (std::uint32_t samples = 1; samples <= max_samples; samples *= 4) {
    for (const Strategy strategy : {Strategy::uniform, Strategy::importance}) {
      const auto begin = std::chrono::steady_clock::now();
      const std::vector<Colour> irradiances = render(strategy, samples, word);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      const std::uint64_t directions = exact.size() * samples;
      word += directions;
      all.push_back(
          {strategy, samples, error.measured(irradiances), error.expected(strategy, samples)});
      std::printf("%10s, %5u samples per pixel: error %8.4f, expected %8.4f; %.3g directions/s\n",
                  to_string(strategy).data(), samples, all.back().error, all.back().expected_error,
                  static_cast<double>(directions) / time.count());
    }
  }
  return all;
}

/// Whether the errors are those that the variances predict, up to a factor of 4/3: for the hundreds
/// of pixels of a sphere several standard deviations. Uniform directions rarely hit the sun, so
/// that only many of them have a typical error.
inline bool errors_are_as_expected(const std::vector<Measurement>& measurements) {
  for (const Measurement& each : measurements) {
    if (each.strategy == Strategy::uniform && each.samples < 1024) continue;
    const double ratio = each.error / each.expected_error;
    if (!(ratio > 0.75 && ratio < 4.0 / 3)) return false;
  }
  return true;
}

inline void write_errors(const std::filesystem::path& path,
                         const std::vector<Measurement>& measurements, const Scale& scale,
                         std::string_view commit) {
  wrsgpu::write_file_atomically(path, [&](std::ostream& out) {
    out << std::setprecision(4);  // the same on every machine
    out << "strategy,samples,relative_error,expected_error,map_width,map_height,commit\n";
    for (const Measurement& each : measurements) {
      out << to_string(each.strategy) << ',' << each.samples << ',' << each.error << ','
          << each.expected_error << ',' << 2 * scale.map_height << ',' << scale.map_height << ','
          << commit << '\n';
    }
  });
}

/// From left to right: the map, and the sphere by uniform directions, by importance sampling, and
/// exactly.
inline Strip make_pictures(const Scene& scene, const Render& render, std::uint32_t samples) {
  constexpr float exposure_of_map = 0.7F;
  constexpr float exposure = 0.25F;
  std::vector<Colour> exact;
  exact.reserve(scene.exact.size());
  for (const Expectation& each : scene.exact) exact.push_back(each.irradiance);
  Strip strip(scene.sphere.size());
  strip.append(thumbnail(scene.map.view(), scene.sphere.size()), exposure_of_map);
  for (const Strategy strategy : {Strategy::uniform, Strategy::importance}) {
    strip.append(scene.sphere.picture(render(strategy, samples, 0)), exposure);
  }
  strip.append(scene.sphere.picture(exact), exposure);
  return strip;
}

/// The programs' main function. Without arguments a small comparison; with `errors FILE` the full
/// one, written as CSV; with `pictures FILE` the pictures, of 64 samples per pixel, written as PPM.
///
/// @param make_render makes the `Render` of a map and the sphere's normals, which outlive it
/// @returns the exit status, 0 if the errors are as expected
template <class MakeRender>
int run(int argc, char** argv, std::string_view commit, const MakeRender& make_render) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (argc != 1 && what != "errors" && what != "pictures") {
    throw wrsgpu::Error("usage: image_based_lighting [errors FILE.csv | pictures FILE.ppm]");
  }
  const Scale scale = argc == 1 ? small_scale : full_scale;
  const Scene scene(scale);
  const Render render = make_render(scene.map, scene.sphere.normals());
  if (what == "pictures") {
    constexpr std::uint32_t samples = 64;
    make_pictures(scene, render, samples).write(argv[2], commit);
    return 0;
  }
  const std::vector<Measurement> measurements = measure(scene.exact, render, scale.max_samples);
  if (what == "errors") write_errors(argv[2], measurements, scale, commit);
  return errors_are_as_expected(measurements) ? 0 : 1;
}

}  // namespace lighting
