// Prioritised experience replay (Schaul, Quan, Antonoglou, Silver, 2016): experiences are drawn
// with probabilities proportional to priorities, which change after each batch, and what is learned
// from one is multiplied by its importance weight 1 / (N p), so that the average over batches is
// that over all experiences. Here each experience has a value, and learning is to estimate their
// mean.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "wrsgpu/types.hpp"

#ifdef __CUDACC__
#define REPLAY_HOST_DEVICE __host__ __device__
#else
#define REPLAY_HOST_DEVICE
#endif

namespace replay {

inline constexpr wrsgpu::Index experiences = 50'000;
inline constexpr std::uint64_t batch = 256;
inline constexpr std::uint64_t batches = 400;

/// The value of an experience, and its priority at first.
REPLAY_HOST_DEVICE inline double value(wrsgpu::Index i) {
  return static_cast<double>(i % 100) / 100 + static_cast<double>(i % 3);
}
inline std::vector<float> first_priorities() {
  std::vector<float> priorities(experiences);
  for (wrsgpu::Index i = 0; i < experiences; ++i) {
    priorities[i] = 0.2F + static_cast<float>(value(i));
  }
  return priorities;
}

/// The priority of an experience after it was drawn.
REPLAY_HOST_DEVICE inline float next_priority(float priority) { return 0.1F + 0.8F * priority; }

/// What a drawn experience contributes to the mean.
REPLAY_HOST_DEVICE inline double contribution(wrsgpu::Index i, float probability) {
  return value(i) / (static_cast<double>(experiences) * static_cast<double>(probability));
}

/// Sums over what was drawn.
struct Sums {
  double values;
  double squares;
};

/// Whether the mean of the contributions is that of the values, within six standard errors.
inline bool is_unbiased(const Sums& sums) {
  double mean = 0;
  for (wrsgpu::Index i = 0; i < experiences; ++i) mean += value(i) / experiences;
  const double drawn = batch * batches;
  const double estimate = sums.values / drawn;
  const double error = std::sqrt((sums.squares / drawn - estimate * estimate) / drawn);
  std::printf("mean value %.5f, by %llu batches of prioritised replay %.5f +- %.5f\n", mean,
              static_cast<unsigned long long>(batches), estimate, error);
  return std::abs(estimate - mean) < 6 * error;
}

}  // namespace replay
