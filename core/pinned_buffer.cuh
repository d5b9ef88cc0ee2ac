// Owner of page-locked host memory.
#pragma once

#include <cuda_runtime.h>  // and not only its C interface: cudaMallocHost of a typed pointer

#include <cstddef>
#include <span>
#include <utility>

#include "wrsgpu/core/checked_bytes.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {

/// A move-only array of `size` elements in host memory that is page-locked, uninitialised: copies
/// to the device and back need no copy between and go on behind the host's back, and kernels can
/// use it where it is. Allocation throws `Error` when the memory is not to be had.
template <class T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    const cudaError_t status = cudaMallocHost(&data_, bytes);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw OutOfMemory("out of memory: " + std::to_string(bytes) +
                        " bytes of page-locked memory refused");
    }
    detail::require_success(status, "cudaMallocHost");
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { static_cast<void>(cudaFreeHost(data_)); }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] std::span<T> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace wrsgpu
