// The random state that every sampler takes.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// Where a stream of random numbers starts. The same (seed, offset) gives the same samples on every
/// run; with Philox, whatever the threads and launch shape (`GpuSamplerOptions`). A caller that
/// draws `n` samples and wants fresh ones next time adds `n` to the offset.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace wrsgpu
