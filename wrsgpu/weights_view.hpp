// A non-owning view of a caller's weights.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/lifetime_bound.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// The element type, without `const`, of a contiguous range in host memory: a vector, an array, a
/// span, a `HostBuffer`. Buffers in device memory do not qualify: they have no `begin()`.
template <class R>
requires requires(const R& range) {
  std::begin(range);
  { std::size(range) } -> std::convertible_to<std::uint64_t>;
  { std::data(range) } -> std::convertible_to<const volatile void*>;
}
using ElementOf = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>>;

/// A contiguous range of `float` or `double`, which needs no conversion.
template <class R>
concept FloatRange = std::same_as < ElementOf<R>,
float > || std::same_as<ElementOf<R>, double>;

/// A non-owning view of weights, the parameter type of all constructions: `float` or `double`, one
/// per item, not necessarily normalised, in host or device memory.
///
/// @note The weights must outlive the view. A temporary argument, as in
/// `build(std::vector<float>{1, 2})`, lives as long as the call; a named view of a temporary
/// dangles, and clang warns about it (`-Wdangling`). `AnyWeights` accepts other types of weights.
class WeightsView {
 public:
  enum class Type { float32, float64 };

  /// @param weights one per item, in host memory
  WeightsView(std::span<const float> weights)  // NOLINT(google-explicit-constructor)
      : data_(weights.data()), size_(weights.size()), type_(Type::float32) {}
  WeightsView(std::span<const double> weights)  // NOLINT(google-explicit-constructor)
      : data_(weights.data()), size_(weights.size()), type_(Type::float64) {}
  WeightsView(std::span<float> weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const float>(weights)) {}
  WeightsView(std::span<double> weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const double>(weights)) {}

  /// @param weights a contiguous range in host memory: a vector, an array, a `HostBuffer`
  template <FloatRange R>
  WeightsView(const R& weights WRSGPU_LIFETIME_BOUND)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const ElementOf<R>>(std::data(weights), std::size(weights))) {}

  /// @param weights in device memory
  template <class T>
  [[nodiscard]] static WeightsView on_device(std::span<T> weights) {
    WeightsView view(weights);
    view.device_ = Device::cuda;
    return view;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Type type() const { return type_; }
  /// The memory that holds the weights.
  [[nodiscard]] Device device() const { return device_; }

  /// Calls `f` with a `std::span<const float>` or a `std::span<const double>`.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return type_ == Type::float32
               ? f(std::span<const float>(static_cast<const float*>(data_), size_))
               : f(std::span<const double>(static_cast<const double*>(data_), size_));
  }

 private:
  const void* data_;
  std::uint64_t size_;
  Type type_;
  Device device_ = Device::cpu;
};

}  // namespace wrsgpu
