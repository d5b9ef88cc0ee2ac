// Occupancy: how many blocks are resident at once.
#pragma once

#include <algorithm>
#include <cstddef>

#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Resident blocks of `threads` threads per multiprocessor if they are limited only by the number
/// of threads; at least one.
[[nodiscard]] inline unsigned resident_blocks_of(unsigned threads) {
  const auto maximum =
      static_cast<unsigned>(device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  return std::max(1U, maximum / threads);
}

/// Resident blocks on the whole device, by the same limit.
[[nodiscard]] inline unsigned blocks_that_fill(unsigned threads) {
  return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount)) *
         resident_blocks_of(threads);
}

/// Resident blocks on the whole device of a kernel with this much dynamic shared memory, by all
/// limits.
template <class... Parameters>
[[nodiscard]] unsigned blocks_that_fill(void (*kernel)(Parameters...), unsigned threads,
                                        std::size_t shared_bytes = 0) {
  int blocks = 0;
  WRSGPU_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, static_cast<int>(threads), shared_bytes));
  return static_cast<unsigned>(std::max(1, blocks)) *
         static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
}

}  // namespace wrsgpu
