// The current device's properties that decide which sampler is the fastest.
#pragma once

#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/sampling/fastest_sampler.hpp"

namespace wrsgpu {

[[nodiscard]] inline SamplingDevice current_sampling_device() {
  return {static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount)),
          static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)),
          static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize))};
}

}  // namespace wrsgpu
