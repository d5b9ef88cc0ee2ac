// Whether a draw is launched on the stream that it is given.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Overwrites `out` late.
static __global__ void wait_and_poison(Index* out, std::size_t count) {
  const long long start = clock64();
  while (clock64() - start < 4'000'000) {
  }
  for (std::size_t k = threadIdx.x; k < count; k += blockDim.x) out[k] = 0xDEAD'BEEF;
}

/// What `draw(out, stream)` writes to `out` (device memory) on a stream that does not wait for the
/// default one and is busy until it has poisoned `out`: what is launched elsewhere comes too early.
template <class Draw>
std::vector<Index> drawn_on_another_stream(std::size_t count, const Draw& draw) {
  cudaStream_t stream = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  DeviceBuffer<Index> out(count);
  wait_and_poison<<<1, 256, 0, stream>>>(out.data(), count);
  draw(out.span(), stream);
  std::vector<Index> samples(count);
  WRSGPU_CUDA_CHECK(
      cudaMemcpyAsync(samples.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost, stream));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
  return samples;
}

}  // namespace wrsgpu
