// Owner of page-locked host memory.
#pragma once

#include <cuda_runtime.h>  // and not only its C interface: cudaMallocHost of a typed pointer

#include <cstddef>
#include <memory>
#include <span>

#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

/// A move-only array of `size` uninitialised elements in page-locked host memory: copies to and
/// from the device need no staging buffer and are asynchronous, and kernels can access it directly.
/// Allocation throws `OutOfMemory` if the memory is not available.
template <class T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    T* data = nullptr;
    detail::require_memory(cudaMallocHost(&data, bytes), bytes, "page-locked memory",
                           "cudaMallocHost");
    data_.reset(data);
  }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] std::span<T> span() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* data) const { detail::ignore_failure(cudaFreeHost(data)); }
  };

  std::unique_ptr<T[], Free> data_;
  std::size_t size_;
};

}  // namespace wrsgpu
