// Stream-ordered device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

namespace detail {

/// While an instance lives, its thread may make calls that are not stream work during a capture;
/// the driver rejects them otherwise.
class RelaxedCapture {
 public:
  RelaxedCapture() { WRSGPU_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { ignore_failure(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A memory pool of the device that retains some memory between buffers. May be created during a
/// capture.
[[nodiscard]] inline cudaMemPool_t new_memory_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  std::uint64_t kept_bytes = std::uint64_t{1} << 28;
  cudaMemPool_t pool = nullptr;
  const RelaxedCapture relaxed;
  WRSGPU_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  WRSGPU_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes));
  return pool;
}

}  // namespace detail

/// The current device's pool for temporary memory. It is never destroyed: the driver (580) crashed
/// occasionally when pools were created and destroyed while their memory was still being freed.
[[nodiscard]] inline cudaMemPool_t memory_pool() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  if (const auto found = pools.find(device); found != pools.end()) return found->second;
  return pools[device] = detail::new_memory_pool(device);
}

/// Whether work that is launched on `stream` becomes part of a graph.
[[nodiscard]] inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  WRSGPU_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// `size` uninitialised elements, for work launched on `stream` while the buffer lives. Throws
/// `OutOfMemory` if the memory is not available. Allocation and deallocation are asynchronous.
template <class T>
class PoolBuffer {
 public:
  PoolBuffer(std::size_t size, cudaStream_t stream) : stream_(stream) {
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    void* data = nullptr;
    detail::require_memory(cudaMallocFromPoolAsync(&data, bytes, memory_pool(), stream), bytes,
                           "device memory", "cudaMallocFromPoolAsync");
    data_ = static_cast<T*>(data);
  }
  PoolBuffer(const PoolBuffer&) = delete;
  PoolBuffer& operator=(const PoolBuffer&) = delete;
  ~PoolBuffer() { detail::ignore_failure(cudaFreeAsync(data_, stream_)); }

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  cudaStream_t stream_;
};

}  // namespace wrsgpu
