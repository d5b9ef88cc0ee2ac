// Gather of keys from computed places; writes are sequential.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::shuffle {

/// Threads per block, and keys per thread: enough loads in flight to saturate the memory, also
/// while other threads compute.
inline constexpr unsigned gather_threads = 256;
inline constexpr unsigned gather_items = 4;

/// Places that an earlier kernel has written.
template <class Place>
struct PlacesFrom {
  const Place* places;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint64_t index) const {
    return places[index];
  }
};

/// out[i] = keys(place_of(first + i)) for i < size.
template <class Places, class Keys>
__global__ void __launch_bounds__(gather_threads)
    gather(const __grid_constant__ Places place_of, std::uint64_t first, Keys keys,
           typename Keys::Key* out, std::uint64_t size) {
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * (gather_threads * gather_items);
  std::uint64_t place[gather_items];
#pragma unroll
  for (unsigned k = 0; k < gather_items; ++k) {
    const std::uint64_t i = begin + k * gather_threads + threadIdx.x;
    place[k] = i < size ? place_of(first + i) : 0;
  }
  typename Keys::Key key[gather_items];
#pragma unroll
  for (unsigned k = 0; k < gather_items; ++k) key[k] = keys(place[k]);
#pragma unroll
  for (unsigned k = 0; k < gather_items; ++k) {
    const std::uint64_t i = begin + k * gather_threads + threadIdx.x;
    if (i < size) out[i] = key[k];
  }
}

/// Launches the gather; `size` is at least 1.
template <class Places, class Keys>
void launch_gather(const Places& place_of, std::uint64_t first, const Keys& keys,
                   typename Keys::Key* out, std::uint64_t size, cudaStream_t stream) {
  gather<<<blocks_for(size, gather_threads * gather_items), gather_threads, 0, stream>>>(
      place_of, first, keys, out, size);
  check_launch("shuffle::gather");
}

}  // namespace wrsgpu::shuffle
