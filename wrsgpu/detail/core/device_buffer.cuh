// Owner of uninitialised device memory.
#pragma once

#include <cuda_runtime.h>  // and not only its C interface: cudaMalloc of a typed pointer

#include <cstddef>
#include <span>
#include <utility>

#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

/// While an instance lives, buffers allocated by its thread are managed memory, which the host can
/// access, too (thesis 4.8.1). For measurements: pages migrate on demand, which affects times.
class ManagedAllocations {
 public:
  ManagedAllocations() { ++depth; }
  ManagedAllocations(const ManagedAllocations&) = delete;
  ManagedAllocations& operator=(const ManagedAllocations&) = delete;
  ~ManagedAllocations() { --depth; }
  [[nodiscard]] static bool are_wanted() { return depth > 0; }

 private:
  static inline thread_local int depth = 0;
};

/// A move-only array of `size` elements in the memory of the current device, aligned to 256 bytes,
/// uninitialised. Allocation throws `OutOfMemory` if the memory is not available; it synchronises,
/// so buffers are allocated before anything is timed.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = checked_bytes(size, sizeof(T));
    const cudaError_t status = ManagedAllocations::are_wanted() ? cudaMallocManaged(&data_, bytes)
                                                                : cudaMalloc(&data_, bytes);
    detail::require_memory(status, bytes, "device memory", "cudaMalloc");
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() {
    // Even freeing nullptr would end the capture of a graph.
    if (data_ != nullptr) detail::ignore_failure(cudaFree(data_));
  }

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

/// Copies between host and device memory and synchronises, so that all streams may read the copy:
/// cudaMemcpy may return before the last part of pageable memory has arrived, and non-blocking
/// streams would not wait for it.
template <class T>
void copy_to_device(std::span<const T> from, T* to) {
  WRSGPU_CUDA_CHECK(cudaMemcpy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}
template <class T>
void copy_to_host(const T* from, std::span<T> to) {
  WRSGPU_CUDA_CHECK(cudaMemcpy(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost));
}

}  // namespace wrsgpu
