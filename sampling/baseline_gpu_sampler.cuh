// Walker's sampler on the GPU (thesis 3.4.1 and 4.7.2).
#pragma once

#include "wrsgpu/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Sample k: word `offset + k` of the Philox4x32-10 stream `seed` chooses a row and a fraction of
/// its bucket. The samples are those of the CPU's `DirectSampler`, in the same, random, order, and
/// do not depend on the launch shape.
class BaselineGpuSampler final : public GpuSampler {
 public:
  void sample(const DeviceTable& table, std::span<Index> out, RandomState state,
              cudaStream_t stream) const override;
};

}  // namespace wrsgpu
