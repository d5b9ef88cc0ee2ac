// Alias sampling from a table in global memory, bound by its memory accesses.
#pragma once

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Each sample selects a row of the whole table, as in `BaselineGpuSampler`; samples are in random
/// order. Supports compact rows only. Sample k takes word `offset + k` of `random::SplitWords`: the
/// samples are those of `DirectSampler` on the CPU and do not depend on the launch shape. Samples
/// are stored as vectors if quads of them, counted from word 0, are aligned to 16 bytes in memory.
/// One launch.
class DirectGpuSampler final : public GpuSampler {
 public:
  /// @throws Error for unsupported options: generators other than philox and philox7
  explicit DirectGpuSampler(const GpuSamplerOptions& options = {});

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  GpuSamplerOptions options_;
};

}  // namespace wrsgpu
