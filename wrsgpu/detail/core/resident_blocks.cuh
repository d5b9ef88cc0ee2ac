// Occupancy: how many blocks are resident at once.
#pragma once

#include <algorithm>
#include <cstddef>

#include "wrsgpu/detail/core/device_attribute.cuh"

namespace wrsgpu {

/// For `__launch_bounds__`: this many blocks per multiprocessor, or as many as its threads suffice
/// for. Compute capability 7.5 has 1,024 threads, all later ones 1,536 or more.
[[nodiscard]] constexpr unsigned at_most_resident(unsigned blocks, unsigned block_threads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr unsigned threads = 1024;
#else
  constexpr unsigned threads = 1536;
#endif
  return blocks * block_threads <= threads ? blocks : threads / block_threads;
}

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
