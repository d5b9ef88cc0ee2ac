// The example of image-based lighting: both ways to draw directions converge to the sum over the
// map, as fast as their variances say, and importance sampling with smaller errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/lighting/environment.hpp"
#include "examples/lighting/exact_light.hpp"
#include "examples/lighting/host_render.hpp"
#include "examples/lighting/light_sampling.hpp"
#include "examples/lighting/study.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace lighting {
namespace {

constexpr double level = wrsgpu::verification::suite_budget.level();
constexpr std::uint32_t many = 1'000'000;

const Environment& environment() {
  static const Environment map = make_environment(512, 256);
  return map;
}
const wrsgpu::WeightedSampler& pixel_sampler() {
  static const wrsgpu::WeightedSampler sampler(pixel_weights(environment().view()),
                                               {.with_probabilities = true});
  return sampler;
}
MapSampling map_sampling() {
  return {environment().view(), pixel_sampler().view_with_probabilities()};
}

TEST(EnvironmentMap, DirectionsLieInTheirPixels) {
  const EnvironmentView map = environment().view();
  for (std::uint32_t pixel = 0; pixel < map.pixels(); pixel += 7) {
    for (const Position at : {Position{0.02F, 0.02F}, {0.5F, 0.5F}, {0.98F, 0.98F}}) {
      const Vector direction = map.direction(pixel, at);
      ASSERT_EQ(map.pixel_of(direction), pixel);
      ASSERT_NEAR(dot(direction, direction), 1, 1e-6);
    }
  }
}

TEST(EnvironmentMap, SolidAnglesCoverTheSphere) {
  const EnvironmentView map = environment().view();
  double sum = 0;
  for (std::uint32_t pixel = 0; pixel < map.pixels(); ++pixel) {
    sum += static_cast<double>(map.solid_angle(pixel));
  }
  EXPECT_NEAR(sum, 4 * std::acos(-1.0), 1e-5);
}

TEST(ExactLight, IsPiUnderAConstantSky) {
  Environment white = make_environment(512, 256);
  for (Colour& colour : white.radiances) colour = {1, 2, 3};
  const ExactLight light(white);
  for (const Vector normal : {Vector{0, 0, 1}, {0.6F, 0, -0.8F}, {0, -1, 0}}) {
    const Expectation found = light(normal);
    const double bound = static_cast<double>(light.horizon_error(normal).red) + 1e-5;
    EXPECT_LT(bound, 2e-3);
    EXPECT_NEAR(found.irradiance.red, std::acos(-1.0), bound);
    EXPECT_NEAR(found.irradiance.blue, 3 * std::acos(-1.0), 3 * bound);
    // The mean over the hemisphere of (2 pi cosine)^2 is 4 pi^2 / 3, its square is pi^2.
    EXPECT_NEAR(found.uniform_variance, 14 * std::pow(std::acos(-1.0), 2) / 3, 0.02);
  }
}

/// Tests whether positions are uniform over a pixel, in 64 * 64 cells, and by their last bits.
template <class Split>
bool positions_are_uniform(const Split& split) {
  constexpr std::size_t side = 64;
  constexpr std::size_t steps = 1 << 12;
  std::vector<std::uint64_t> cells(side * side);
  std::vector<std::uint64_t> rows(steps);
  const wrsgpu::SamplerViewWithProbabilities pixels = pixel_sampler().view_with_probabilities();
  const wrsgpu::RandomWords words(seed);
  for (std::uint64_t k = 0; k < many; ++k) {
    const Position at = split(pixels(words[k]).remapped);
    ++cells[static_cast<std::size_t>(at.v * side) * side + static_cast<std::size_t>(at.u * side)];
    ++rows[static_cast<std::size_t>(at.v * steps)];
  }
  const auto uniform = [](const std::vector<std::uint64_t>& counts) {
    const std::vector<double> equal(counts.size(), 1.0 / static_cast<double>(counts.size()));
    return wrsgpu::verification::chi_squared(counts, equal).passes(level);
  };
  return uniform(cells) && uniform(rows);
}

TEST(ImageBasedLighting, PositionsAreUniformInTheirPixels) {
  EXPECT_TRUE(positions_are_uniform(split_variate));
  // Both halves from the same bits.
  EXPECT_FALSE(positions_are_uniform([](float variate) {
    const Position at = split_variate(variate);
    return Position{at.u, at.u};
  }));
  // A variate of 23 bits.
  EXPECT_FALSE(positions_are_uniform(
      [](float variate) { return split_variate(std::floor(variate * 0x1p23F) * 0x1p-23F); }));
}

/// The most by which the mean of n independent numbers of this variance, that differ by at most
/// `range` from their mean, is off with probability 1 - `level` (Bernstein's inequality).
double bernstein(double variance, double range, double n) {
  const double log = std::log(2 / level);
  const double linear = range * log / 3;
  return (linear + std::sqrt(linear * linear + 2 * n * variance * log)) / n;
}

/// By how much an estimate of the red light from `many` directions is off, in units of what
/// rounding, the horizon's pixels and Bernstein's inequality allow.
template <class Sampling>
double excess_of_error(const Sampling& sampling, const Vector& normal, double variance,
                       double range) {
  static const ExactLight light(environment());
  const auto exact = static_cast<double>(light(normal).irradiance.red);
  const auto horizon = static_cast<double>(light.horizon_error(normal).red);
  const wrsgpu::RandomWords words(seed);
  const auto found = static_cast<double>(estimate_irradiance(sampling, normal, words, 0, many).red);
  constexpr double rounding = 1e-5;  // of some ten operations in single precision
  return std::abs(found - exact) / (bernstein(variance, range, many) + horizon + rounding * exact);
}

const std::vector<Vector>& some_normals() {
  static const std::vector<Vector> normals{
      {0, 0, 1}, {0, -0.8F, 0.6F}, {0.8F, -0.6F, 0}, {0.6F, 0, -0.8F}};
  return normals;
}

/// A bound of one estimate of `MapSampling`, which is radiance / luminance times the light of all
/// the map: at most 1 / 0.2126 of that for red.
double range_of_map_sampling() {
  double light = 0;
  for (const float weight : pixel_weights(environment().view())) {
    light += static_cast<double>(weight);
  }
  return light / 0.2126;
}

TEST(ImageBasedLighting, ImportanceSamplingHasNoBias) {
  const ExactLight light(environment());
  for (const Vector& normal : some_normals()) {
    EXPECT_LT(excess_of_error(map_sampling(), normal, light(normal).map_variance,
                              range_of_map_sampling()),
              1);
  }
}

TEST(ImageBasedLighting, UniformDirectionsHaveNoBias) {
  const ExactLight light(environment());
  float brightest = 0;
  for (const Colour& colour : environment().radiances) brightest = std::fmax(brightest, colour.red);
  for (const Vector& normal : some_normals()) {
    EXPECT_LT(
        excess_of_error(UniformSampling(environment().view()), normal,
                        light(normal).uniform_variance, 2 * static_cast<double>(pi * brightest)),
        1);
  }
}

/// Changes what `MapSampling` draws.
template <class Change>
class ChangedSampling {
 public:
  explicit ChangedSampling(const Change& change) : change_(change) {}
  Incident operator()(wrsgpu::RandomWord word, const Vector& normal) const {
    Incident light = map_sampling()(word, normal);
    change_(light);
    return light;
  }

 private:
  Change change_;
};

TEST(ImageBasedLighting, BiasIsNoticed) {
  const ExactLight light(environment());
  const auto excess = [&](const auto& change) {
    const Vector normal{0, -0.8F, 0.6F};
    return excess_of_error(ChangedSampling(change), normal, light(normal).map_variance,
                           range_of_map_sampling());
  };
  const EnvironmentView map = environment().view();
  EXPECT_LT(excess([](Incident&) {}), 1);
  EXPECT_GT(excess([](Incident& one) { one.density *= 0.98F; }), 1);
  // The sine of the polar angle is left out of the density.
  EXPECT_GT(excess([&](Incident& one) {
              one.density *= map.solid_angle(map.pixel_of(one.direction)) *
                             static_cast<float>(map.pixels()) / (4 * pi);
            }),
            1);
  // All directions are a degree too low.
  EXPECT_GT(excess([](Incident& one) { one.direction.z -= 0.0175F; }), 1);
}

/// -1/2 where errors fall with the square root of the number of samples.
double exponent(const Measurement& few, const Measurement& many_samples) {
  return std::log(many_samples.error / few.error) /
         std::log(static_cast<double>(many_samples.samples) / few.samples);
}

TEST(ImageBasedLighting, ErrorsFallWithTheSquareRootAndImportanceSamplingHasSmallerOnes) {
  const Scene scene(Scale{128, 24, 4096});
  const std::vector<Measurement> all =
      measure(scene.exact, make_host_render(scene.map, scene.sphere.normals()), 4096);
  EXPECT_TRUE(errors_are_as_expected(all));
  const auto find = [&](Strategy strategy, std::uint32_t samples) {
    for (const Measurement& each : all) {
      if (each.strategy == strategy && each.samples == samples) return each;
    }
    throw std::out_of_range(std::to_string(samples));
  };
  EXPECT_NEAR(exponent(find(Strategy::importance, 1), find(Strategy::importance, 4096)), -0.5,
              0.03);
  EXPECT_NEAR(exponent(find(Strategy::uniform, 64), find(Strategy::uniform, 4096)), -0.5, 0.08);
  for (const std::uint32_t samples : {64U, 256U, 1024U, 4096U}) {
    EXPECT_GT(find(Strategy::uniform, samples).error,
              15 * find(Strategy::importance, samples).error);
  }
}

TEST(ImageBasedLighting, WrongErrorsAreNoticed) {
  const std::vector<Measurement> right{{Strategy::importance, 64, 1.1, 1}};
  EXPECT_TRUE(errors_are_as_expected(right));
  EXPECT_FALSE(errors_are_as_expected({{Strategy::importance, 64, 1.4, 1}}));
  EXPECT_FALSE(errors_are_as_expected({{Strategy::uniform, 1024, 0.7, 1}}));
  EXPECT_FALSE(errors_are_as_expected({{Strategy::uniform, 4096, std::nan(""), 1}}));
}

}  // namespace
}  // namespace lighting
