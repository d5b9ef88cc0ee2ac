// Shared memory sectioned sampling (thesis 3.4.4).
#pragma once

#include "sampling/section_sampler_base.cuh"

namespace wrsgpu {

/// A block copies its section to shared memory and draws from there. Throws `Error` for sections
/// that do not fit in it.
class SharedMemoryGpuSampler final : public SectionSamplerBase {
 public:
  explicit SharedMemoryGpuSampler(const GpuSamplerOptions& options = {})
      : SectionSamplerBase(options) {}

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override;

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;
};

}  // namespace wrsgpu
