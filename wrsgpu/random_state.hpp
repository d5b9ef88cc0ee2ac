// The random state that every sampler takes.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// The start of a stream of random numbers. Equal (seed, offset) give equal samples on every run;
/// with Philox they do not depend on the number of threads or the launch shape
/// (`GpuSamplerOptions`). A caller that draws `n` samples adds `n` to the offset to draw fresh ones
/// next time.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace wrsgpu
