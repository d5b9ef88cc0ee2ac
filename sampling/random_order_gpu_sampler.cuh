// Random order for samples that are grouped by section.
#pragma once

#include <memory>

#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Draws with another sampler and shuffles its samples: sample k is sample p(k) of the other one,
/// where p is `shuffle::lazy_permutation` under `order_seed`. Samples of a sectioned sampler are
/// correct as a multiset; in random order they are also correct as a sequence. The samples are
/// buffered in memory from the stream's pool, 4 bytes per sample. Histograms have no order and come
/// directly from the other sampler.
class RandomOrderGpuSampler final : public GpuSampler {
 public:
  explicit RandomOrderGpuSampler(std::unique_ptr<GpuSampler> sampler)
      : sampler_(std::move(sampler)) {}

  [[nodiscard]] std::string refusal(const DeviceTable& table) const override {
    return sampler_->refusal(table);
  }

  /// Seed of the permutation of one call: a word of the stream that no sample uses.
  [[nodiscard]] static std::uint64_t order_seed(RandomState state);

 private:
  void launch(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override;

  std::unique_ptr<GpuSampler> sampler_;
};

}  // namespace wrsgpu
