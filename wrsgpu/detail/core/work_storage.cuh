// Device memory that an object works in: its own, or its caller's.
#pragma once

#include <cstddef>
#include <span>

#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

class WorkStorage {
 public:
  /// Its own.
  explicit WorkStorage(std::size_t bytes) {
    require_cuda_device();
    own_ = DeviceBuffer<std::byte>(bytes);
    span_ = own_.span();
  }
  /// The caller's.
  explicit WorkStorage(std::span<std::byte> storage) : span_(storage) {
    if (storage.empty()) throw Error("argument 'storage' is empty; storage_bytes() are needed");
  }

  [[nodiscard]] std::span<std::byte> span() const { return span_; }
  [[nodiscard]] std::byte* data() const { return span_.data(); }

 private:
  DeviceBuffer<std::byte> own_;  // empty if the caller has it
  std::span<std::byte> span_;
};

}  // namespace wrsgpu
