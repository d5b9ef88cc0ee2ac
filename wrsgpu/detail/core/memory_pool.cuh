// Device memory in the order of a stream.
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

/// While it lives, this thread may do what is no work of a stream also while one is captured, which
/// the driver refuses otherwise.
class RelaxedCapture {
 public:
  RelaxedCapture() { WRSGPU_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { ignore_failure(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A pool of the device which keeps some memory from one buffer to the next. May be made while a
/// stream is captured.
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

/// The pool of the current device for temporary memory. There is one until the process ends: the
/// driver (580) crashed occasionally where pools came and went while memory of theirs was still
/// being given back.
[[nodiscard]] inline cudaMemPool_t memory_pool() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  if (const auto found = pools.find(device); found != pools.end()) return found->second;
  return pools[device] = detail::new_memory_pool(device);
}

/// `size` elements, uninitialised, for what is launched on `stream` while the buffer lives. Throws
/// `OutOfMemory` when the memory is not available. Neither waits.
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
