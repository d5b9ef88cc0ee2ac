// Owner of uninitialised host memory.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace wrsgpu {

namespace detail {
/// Allocates `count` elements of `element_bytes`, aligned to a cache line; from 4 MiB on, aligned
/// to a huge page and with advice to use huge pages, because random row reads over a large table
/// are bound by the TLB otherwise. Throws `OutOfMemory` if the memory is not available.
[[nodiscard]] void* allocate_host(std::size_t count, std::size_t element_bytes);
void free_host(void* memory) noexcept;
}  // namespace detail

/// A move-only array of `size` trivially copyable `T`, aligned to at least 64 bytes, whose elements
/// are uninitialised (a std::vector would initialise them).
template <class T>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(detail::allocate_host(size, sizeof(T)))),
        size_(size) {}
  HostBuffer(HostBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() { detail::free_host(data_); }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] std::span<T> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace wrsgpu
