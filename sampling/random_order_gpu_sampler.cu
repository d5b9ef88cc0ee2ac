#include "sampling/random_order_gpu_sampler.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/gpu_shuffle.cuh"

namespace wrsgpu {

std::uint64_t RandomOrderGpuSampler::order_seed(RandomState state) {
  return random::philox_word(state.seed, state.offset, random::orders_subsequence);
}

void RandomOrderGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                   std::uint64_t samples, RandomState state,
                                   cudaStream_t stream) const {
  const auto* to_samples = std::get_if<ToSamples>(&output);
  if (to_samples == nullptr) return sampler_->draw(table, output, samples, state, stream);
  const PoolBuffer<Index> drawn(samples, stream);
  sampler_->draw(table, ToSamples{drawn.data()}, samples, state, stream);
  shuffle::gpu_shuffle(std::span<const Index>(drawn.data(), samples),
                       std::span(to_samples->samples, samples), order_seed(state), stream);
}

}  // namespace wrsgpu
