// The properties of the current device that determine the fastest sampler.
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
