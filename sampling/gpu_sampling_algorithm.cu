#include "sampling/gpu_sampling_algorithm.cuh"

#include "construction/device_masses.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

GpuSamplingAlgorithm::GpuSamplingAlgorithm(const TableOptions& options) : options_(options) {
  require_cuda_device();
}

void GpuSamplingAlgorithm::draw(const AnyOutput& output, std::uint64_t samples, RandomState state,
                                cudaStream_t stream) const {
  if (size() == 0) throw Error("sample: nothing has been built yet; call build() first");
  if (samples == 0) return;
  launch(output, samples, state, stream);
}

WeightSummary GpuSamplingAlgorithm::check(WeightsView weights) const {
  // The pass that computes integer masses checks the weights, too.
  if (options_.arithmetic == Arithmetic::floating) {
    return summarise_in_place(weights, options_.threads);
  }
  check_size_and_memory(weights, weights.device());
  return {.size = static_cast<Index>(weights.size())};
}

void GpuSamplingAlgorithm::do_build(WeightsView weights, const WeightSummary& summary) {
  with_weights_on_device(weights,
                         [&](WeightsView on_device) { build_on_device(on_device, summary); });
  // Draws may be on any stream.
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

void GpuSamplingAlgorithm::do_sample(std::span<Index> out, RandomState state) const {
  DeviceBuffer<Index> samples(out.size());
  launch(ToSamples{samples.data()}, out.size(), state, nullptr);
  copy_to_host(static_cast<const Index*>(samples.data()), out);
}

}  // namespace wrsgpu
