// Temporary storage of one build, sized before it is allocated.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/device_buffer.cuh"

namespace wrsgpu {

/// Hands out pieces of one block of device memory, each aligned to 256 bytes. Without a block it
/// only counts: the same code that takes its pieces tells how large the block must be.
class DeviceArena {
 public:
  DeviceArena() = default;
  explicit DeviceArena(std::byte* block) : block_(block) {}

  template <class T>
  [[nodiscard]] T* take(std::size_t count) {
    const std::size_t offset = used_;
    used_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + offset);
  }
  /// False for an arena that only counts.
  [[nodiscard]] bool has_block() const { return block_ != nullptr; }
  /// Bytes handed out so far.
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t alignment = 256;
  std::byte* block_ = nullptr;
  std::size_t used_ = 0;
};

/// Calls `launch(arena)` twice, with an arena that counts and with one of storage of that size, and
/// waits: for work whose storage nobody keeps.
template <class Launch>
void run_with_own_storage(const Launch& launch) {
  DeviceArena sizes;
  launch(sizes);
  // An arena needs a block, even for work that needs none.
  DeviceBuffer<std::byte> storage(sizes.used() > 0 ? sizes.used() : 1);
  DeviceArena arena(storage.data());
  launch(arena);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace wrsgpu
