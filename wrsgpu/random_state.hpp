// The random state that every sampler takes.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// A position in a stream of random numbers. Equal (seed, offset) give equal samples in every run;
/// with Philox they do not depend on the number of threads or the launch configuration
/// (`GpuSamplerOptions`). After drawing `n` samples, add `n` to the offset to draw new ones.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace wrsgpu
