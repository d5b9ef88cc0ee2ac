// A bootstrap particle filter (Gordon, Salmond, Smith, "Novel approach to nonlinear/non-Gaussian
// Bayesian state estimation", 1993) of a linear model with Gaussian noise, for which the filter of
// Kalman gives the exact answer:
//   state        x_t = 0.9 x_(t-1) + noise of variance 1, x_0 from the stationary distribution
//   observation  y_t = x_t + noise of variance 1/2
// In each step the particles are resampled by their likelihoods and moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

#include "wrsgpu/sampler_view.hpp"

#ifdef __CUDACC__
#define PARTICLE_HOST_DEVICE __host__ __device__
#else
#define PARTICLE_HOST_DEVICE
#endif

namespace particle_filter {

inline constexpr double persistence = 0.9;
inline constexpr double observation_variance = 0.5;
inline constexpr double stationary_variance = 1 / (1 - persistence * persistence);
inline constexpr int steps = 50;

/// A standard normal deviate from a random word, after Box and Muller.
PARTICLE_HOST_DEVICE inline double normal(wrsgpu::RandomWord word) {
  const double u = static_cast<double>((word.bits() >> 32) + 1) * 0x1p-32;
  const double v = static_cast<double>(word.bits() & 0xFFFF'FFFFU) * 0x1p-32;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// The state before the first step, and that after another step.
PARTICLE_HOST_DEVICE inline double first_state(wrsgpu::RandomWord word) {
  return std::sqrt(stationary_variance) * normal(word);
}
PARTICLE_HOST_DEVICE inline double next_state(double state, wrsgpu::RandomWord word) {
  return persistence * state + normal(word);
}

/// The likelihood of a state, up to a factor.
PARTICLE_HOST_DEVICE inline float likelihood(double state, double observation) {
  const double difference = observation - state;
  return static_cast<float>(std::exp(-difference * difference / (2 * observation_variance)));
}

inline std::vector<double> observations() {
  const wrsgpu::RandomWords words(1);
  std::vector<double> observed;
  double state = first_state(words[0]);
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (step > 0) state = next_state(state, words[2 * step]);
    observed.push_back(state + std::sqrt(observation_variance) * normal(words[2 * step + 1]));
  }
  return observed;
}

/// Sums over the particles of a step: of powers of the weight times powers of the state.
struct Sums {
  double weights;
  double states;
  double squared_weights;
  double states_squared_weights;
  double squares_squared_weights;

  PARTICLE_HOST_DEVICE void add(double weight, double state) {
    weights += weight;
    states += weight * state;
    squared_weights += weight * weight;
    states_squared_weights += weight * weight * state;
    squares_squared_weights += weight * weight * state * state;
  }
  /// The mean of the state, and its standard error if the particles are independent.
  [[nodiscard]] double mean() const { return states / weights; }
  [[nodiscard]] double error() const {
    const double m = mean();
    return std::sqrt(squares_squared_weights - 2 * m * states_squared_weights +
                     m * m * squared_weights) /
           weights;
  }
};

/// Whether the means of the state after each observation are those of Kalman's filter, within eight
/// standard errors: resampled particles are not independent, but forget their common ancestors
/// soon. Prints the largest difference.
inline bool matches_kalman(const std::vector<Sums>& sums) {
  double mean = 0;
  double variance = stationary_variance;
  double worst = 0;
  const std::vector<double> observed = observations();
  for (std::size_t step = 0; step < steps; ++step) {
    if (step > 0) {
      mean *= persistence;
      variance = persistence * persistence * variance + 1;
    }
    const double gain = variance / (variance + observation_variance);
    mean += gain * (observed[step] - mean);
    variance *= 1 - gain;
    worst = std::max(worst, std::abs(sums[step].mean() - mean) / sums[step].error());
  }
  std::printf("%d steps: at most %.2f standard errors from Kalman's filter\n", steps, worst);
  return worst < 8;
}

}  // namespace particle_filter
