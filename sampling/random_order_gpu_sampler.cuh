// Random order for samples that come grouped by section.
#pragma once

#include <memory>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Draws with another sampler and shuffles what it drew: sample k is sample p(k) of the other one,
/// p being `shuffle::lazy_permutation` under `order_seed`. Samples of a sectioned sampler are right
/// as a multiset; in random order they are also right as a sequence. The draws wait in memory from
/// the pool of the stream, 4 bytes a sample. Histograms have no order and are the other sampler's.
class RandomOrderGpuSampler final : public GpuSampler {
 public:
  explicit RandomOrderGpuSampler(std::unique_ptr<GpuSampler> sampler)
      : sampler_(std::move(sampler)) {}

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override {
    return sampler_->refusal(table);
  }

  /// Seed of the order of the samples of one call: a word of the stream that no sample uses.
  [[nodiscard]] static std::uint64_t order_seed(RandomState state);

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  std::unique_ptr<GpuSampler> sampler_;
};

}  // namespace wrsgpu
