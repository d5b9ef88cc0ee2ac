// Temporary storage of one build, sized before it is allocated.
#pragma once

#include <cstddef>

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

}  // namespace wrsgpu
