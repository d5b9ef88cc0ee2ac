// Temporary storage of one build, whose size is computed before allocation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Sub-allocates from one block of device memory. Allocations are aligned to 256 bytes; those of
/// fewer than 256 bytes to 64. Without a block, the arena only counts bytes, so that the code that
/// allocates also computes the size of the block. By convention, a function that launches kernels
/// with storage from an arena launches nothing if the arena has no block.
class DeviceArena {
 public:
  DeviceArena() = default;
  /// `block` is aligned to 256 bytes, as a `DeviceBuffer` is.
  explicit DeviceArena(std::span<std::byte> block) : block_(block) {}

  /// Throws `Error` if the block is too small, which means that its size was computed for other
  /// work or another kind of device.
  template <class T>
  [[nodiscard]] T* take(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::size_t begin = rounded_up(used_, bytes < alignment ? small_alignment : alignment);
    used_ = rounded_up(begin + bytes, small_alignment);
    if (!has_block()) return nullptr;
    if (used_ > block_.size()) {
      throw Error("temporary storage of " + std::to_string(block_.size()) +
                  " bytes is too small; reserve it with the device that it is used on");
    }
    return reinterpret_cast<T*>(block_.data() + begin);
  }
  /// Whether the arena has a block; false for one that only counts.
  [[nodiscard]] bool has_block() const { return block_.data() != nullptr; }
  /// Bytes allocated so far, with padding.
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t alignment = 256;
  /// A build makes about 15 allocations of a few bytes; padded to 256 bytes, they would dominate
  /// the storage of a small table.
  static constexpr std::size_t small_alignment = 64;

  [[nodiscard]] static std::size_t rounded_up(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
  }

  std::span<std::byte> block_;
  std::size_t used_ = 0;
};

/// Calls `launch(arena)` twice, with a counting arena and with one of storage of that size, and
/// synchronises. For work whose storage need not be kept.
template <class Launch>
void run_with_own_storage(const Launch& launch) {
  DeviceArena sizes;
  launch(sizes);
  // An arena needs a block, even for work that needs none.
  DeviceBuffer<std::byte> storage(sizes.used() > 0 ? sizes.used() : 1);
  DeviceArena arena(storage.span());
  launch(arena);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace wrsgpu
