#include "experiments/common/flush_l2.hpp"

#include <cstddef>

#include "experiments/common/experiment.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::experiments {

void flush_l2_if_cold(cudaStream_t stream) {
  if (!l2_is_cold) return;
  static DeviceBuffer<std::byte> buffer(
      2 * static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize)));
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace wrsgpu::experiments
