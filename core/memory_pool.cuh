// Device memory in the order of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/core/checked_bytes.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {

/// Memory of the current device, kept from one buffer to the next until the pool goes. Buffers that
/// are still in use then stay.
class MemoryPool {
 public:
  MemoryPool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    WRSGPU_CUDA_CHECK(cudaGetDevice(&properties.location.id));
    WRSGPU_CUDA_CHECK(cudaMemPoolCreate(&pool_, &properties));
    std::uint64_t all = ~std::uint64_t{0};
    WRSGPU_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all));
  }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool() { static_cast<void>(cudaMemPoolDestroy(pool_)); }

  [[nodiscard]] cudaMemPool_t get() const { return pool_; }

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// `size` elements, uninitialised, for what is launched on `stream` while the buffer lives. Throws
/// `OutOfMemory` when the memory is not to be had. Neither waits.
template <class T>
class PoolBuffer {
 public:
  PoolBuffer(const MemoryPool& pool, std::size_t size, cudaStream_t stream) : stream_(stream) {
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    void* data = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&data, bytes, pool.get(), stream);
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
