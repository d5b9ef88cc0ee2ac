// Device memory in the order of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "wrsgpu/core/checked_bytes.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {

namespace detail {

/// A pool of the device, also where a stream of this thread is being captured: a pool is no work of
/// a stream, but the driver refuses to make one then, unless it is told that this is meant.
[[nodiscard]] inline cudaMemPool_t new_memory_pool(const cudaMemPoolProps& properties) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  WRSGPU_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  cudaMemPool_t pool = nullptr;
  const cudaError_t status = cudaMemPoolCreate(&pool, &properties);
  WRSGPU_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  require_success(status, "cudaMemPoolCreate");
  return pool;
}

}  // namespace detail

/// The pool of the current device for temporary memory, of which it keeps some from one buffer to
/// the next. There is one until the process ends: the driver (580) crashed now and then where pools
/// came and went while memory of theirs was still being given back.
[[nodiscard]] inline cudaMemPool_t memory_pool() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&properties.location.id));
  const std::lock_guard lock(mutex);
  if (const auto found = pools.find(properties.location.id); found != pools.end()) {
    return found->second;
  }
  const cudaMemPool_t pool = detail::new_memory_pool(properties);
  std::uint64_t kept_bytes = std::uint64_t{1} << 28;
  WRSGPU_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes));
  return pools[properties.location.id] = pool;
}

/// `size` elements, uninitialised, for what is launched on `stream` while the buffer lives. Throws
/// `OutOfMemory` when the memory is not to be had. Neither waits.
template <class T>
class PoolBuffer {
 public:
  PoolBuffer(std::size_t size, cudaStream_t stream) : stream_(stream) {
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    void* data = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&data, bytes, memory_pool(), stream);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw OutOfMemory("out of memory: " + std::to_string(bytes) +
                        " bytes of device memory refused");
    }
    detail::require_success(status, "cudaMallocFromPoolAsync");
    data_ = static_cast<T*>(data);
  }
  PoolBuffer(const PoolBuffer&) = delete;
  PoolBuffer& operator=(const PoolBuffer&) = delete;
  ~PoolBuffer() { static_cast<void>(cudaFreeAsync(data_, stream_)); }

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  cudaStream_t stream_;
};

}  // namespace wrsgpu
