// How many blocks a device runs at once.
#pragma once

#include <algorithm>
#include <cstddef>

#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// Blocks of `threads` threads that one multiprocessor runs at once, when nothing but its number of
/// threads limits them; at least one.
[[nodiscard]] inline unsigned resident_blocks_of(unsigned threads) {
  const auto maximum =
      static_cast<unsigned>(device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  return std::max(1U, maximum / threads);
}

/// The same for the whole device.
[[nodiscard]] inline unsigned blocks_that_fill(unsigned threads) {
  return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount)) *
         resident_blocks_of(threads);
}

/// The same for the blocks of a kernel, with so much dynamic shared memory, whatever limits them.
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
