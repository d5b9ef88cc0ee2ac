// Temporary storage of one build, sized before it is allocated.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Hands out pieces of one block of device memory, each aligned to 256 bytes, those of fewer than
/// 256 bytes to 64. Without a block it only counts: the same code that takes its pieces tells how
/// large the block must be. What launches kernels with storage from an arena launches nothing, and
/// only takes its pieces, where the arena has no block.
class DeviceArena {
 public:
  DeviceArena() = default;
  /// `block` is aligned to 256 bytes, as a `DeviceBuffer` is.
  explicit DeviceArena(std::span<std::byte> block) : block_(block) {}

  /// Throws `Error` where the block has no room for it: then it was counted for other work, or on a
  /// device of another kind.
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
  /// False for an arena that only counts.
  [[nodiscard]] bool has_block() const { return block_.data() != nullptr; }
  /// Bytes handed out so far, with what lies between the pieces.
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t alignment = 256;
  /// A build takes some 15 pieces of a few bytes: padded to 256, they would be most of what a small
  /// table needs.
  static constexpr std::size_t small_alignment = 64;

  [[nodiscard]] static std::size_t rounded_up(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
  }

  std::span<std::byte> block_;
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
  DeviceArena arena(storage.span());
  launch(arena);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace wrsgpu
