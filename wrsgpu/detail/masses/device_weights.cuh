// Weights on the device, and the result of their check.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <utility>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {

/// `WeightSummary` in device memory: later kernels read it, so that no synchronisation with the
/// host is needed.
struct DeviceWeightSummary {
  WeightSummary summary;
  double bucket;                ///< summary.bucket()
  std::uint64_t first_invalid;  ///< index of the first NaN, infinite or negative weight, or `size`
  bool valid;                   ///< no such weight; the sum is finite and positive
};

/// Allocates a summary in device memory. Zeroed, so that no byte that is copied later, padding
/// included, is undefined; all streams may write it.
[[nodiscard]] inline DeviceBuffer<DeviceWeightSummary> new_device_summary() {
  DeviceBuffer<DeviceWeightSummary> summary(1);
  WRSGPU_CUDA_CHECK(cudaMemset(summary.data(), 0, summary.bytes()));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  return summary;
}

/// Waits for `stream` and copies `*summary` to the host. Its size is 0 if no weights were summed.
[[nodiscard]] DeviceWeightSummary copy_summary(const DeviceWeightSummary* summary,
                                               cudaStream_t stream);

/// Waits for `stream` and reads `*summary`. Throws `Error` if it belongs to another number of
/// weights (a graph may have run), and the `Error` of `summarise` for invalid weights.
[[nodiscard]] WeightSummary read_summary(WeightsView weights, const DeviceWeightSummary* summary,
                                         cudaStream_t stream);

/// Calls `use(view)` with the weights in device memory; weights in host memory are copied.
template <class Use>
void with_weights_on_device(WeightsView weights, const Use& use) {
  if (weights.device() == Device::cuda) return use(weights);
  weights.visit([&]<class T>(std::span<const T> host) {
    DeviceBuffer<T> device(host.size());
    copy_to_device(host, device.data());
    use(WeightsView::on_device(std::as_const(device).span()));
  });
}

}  // namespace wrsgpu
