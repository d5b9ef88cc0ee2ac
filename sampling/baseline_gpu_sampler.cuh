// The baseline sampler on the GPU (thesis 3.4.1 and 4.7.2).
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Each sample selects a row of the whole table. With Philox, sample k takes word `offset + k` of
/// `random::SplitWords`: the samples are those of `DirectGpuSampler` and of `DirectSampler` on the
/// CPU, in the same random order, and do not depend on the launch shape. Other generators run one
/// stream per thread of the launch (MTGP32: one per block, whose state is computed on the host, so
/// that drawing synchronises and allocates).
class BaselineGpuSampler final : public GpuSampler {
 public:
  /// Throws `Error` for incompatible options.
  explicit BaselineGpuSampler(const GpuSamplerOptions& options = {});

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;
  void launch_mtgp32(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
                     RandomState state, cudaStream_t stream) const;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
