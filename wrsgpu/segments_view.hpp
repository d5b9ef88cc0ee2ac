// A non-owning view of the offsets of segments.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/lifetime_bound.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// An integer type of 32 or 64 bits.
template <class T>
concept OffsetInteger = std::integral<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// A contiguous range of offsets in host memory.
template <class R>
concept OffsetRange = OffsetInteger<ElementOf<R>>;

namespace detail {

/// The beginnings of segments of equal length.
struct EqualOffsets {
  std::uint64_t length;
  [[nodiscard]] WRSGPU_HD std::uint64_t operator[](std::uint64_t segment) const {
    return segment * length;
  }
};
/// The beginnings of segments in an array.
template <class T>
struct ArrayOffsets {
  const T* offsets;
  [[nodiscard]] WRSGPU_HD std::uint64_t operator[](std::uint64_t segment) const {
    return offsets[segment];
  }
};

}  // namespace detail

/// A non-owning view of the offsets of R segments, such as the row pointers of a CSR matrix:
/// segment s has the items [offsets[s], offsets[s + 1]). There are R + 1 offsets, the first one is
/// 0, none is less than the one before, and the last one is the number of items. Integers of 32 or
/// 64 bits, signed or unsigned, in host or device memory. The rows of a dense matrix are segments
/// of equal length (`equal`).
///
/// @note The offsets must outlive the view.
class SegmentsView {
 public:
  /// @param offsets R + 1 offsets, in host memory
  template <OffsetRange R>
  SegmentsView(const R& offsets WRSGPU_LIFETIME_BOUND)  // NOLINT(google-explicit-constructor)
      : SegmentsView(std::data(offsets), std::size(offsets), sizeof(ElementOf<R>), Device::cpu) {}

  /// @param offsets R + 1 offsets, in device memory
  template <OffsetInteger T>
  [[nodiscard]] static SegmentsView on_device(std::span<T> offsets) {
    return {offsets.data(), offsets.size(), sizeof(T), Device::cuda};
  }

  /// `count` segments of `length` items each. Needs no memory; for weights in host or device
  /// memory.
  [[nodiscard]] static SegmentsView equal(std::uint64_t count, std::uint64_t length) {
    SegmentsView view(nullptr, count + 1, 0, Device::cpu);
    view.length_ = length;
    return view;
  }

  /// Number of segments; 0 if there are no offsets at all.
  [[nodiscard]] std::uint64_t count() const { return offsets_ == 0 ? 0 : offsets_ - 1; }
  /// Whether these are segments of equal length, without offsets in memory.
  [[nodiscard]] bool is_equal() const { return bytes_ == 0; }
  /// The memory that holds the offsets.
  [[nodiscard]] Device device() const { return device_; }
  /// The offsets; null for segments of equal length.
  [[nodiscard]] const void* data() const { return data_; }
  /// Bytes per offset: 4 or 8, or 0 for segments of equal length.
  [[nodiscard]] std::size_t offset_bytes() const { return bytes_; }

  /// Calls `f(offsets)`, where offsets[s] is the beginning of segment s. Negative offsets become
  /// large ones.
  template <class F>
  decltype(auto) visit(F&& f) const {
    if (bytes_ == 4) {
      return f(detail::ArrayOffsets<std::uint32_t>{static_cast<const std::uint32_t*>(data_)});
    }
    if (bytes_ == 8) {
      return f(detail::ArrayOffsets<std::uint64_t>{static_cast<const std::uint64_t*>(data_)});
    }
    return f(detail::EqualOffsets{length_});
  }

 private:
  SegmentsView(const void* data, std::uint64_t offsets, std::size_t bytes, Device device)
      : data_(data), offsets_(offsets), bytes_(bytes), device_(device) {}

  const void* data_;
  std::uint64_t offsets_;
  std::size_t bytes_;
  std::uint64_t length_ = 0;
  Device device_;
};

}  // namespace wrsgpu
