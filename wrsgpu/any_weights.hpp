// Parameter type for weights of any arithmetic type.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "wrsgpu/detail/core/exact_double.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/lifetime_bound.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// An arithmetic type other than the character types, so that a string does not convert to weights.
template <class T>
concept WeightNumber =
    std::is_arithmetic_v<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// A contiguous range of numbers.
template <class R>
concept NumberRange = WeightNumber<ElementOf<R>>;

namespace detail {

[[noreturn]] void throw_inexact_weight(std::uint64_t index, const std::string& weight);

/// Converts the weights; none if there are more than `max_items`, which the callee rejects.
template <WeightNumber T>
[[nodiscard]] HostBuffer<double> in_double_precision(std::span<const T> weights) {
  HostBuffer<double> converted(weights.size() > max_items ? 0 : weights.size());
  for (std::size_t i = 0; i < converted.size(); ++i) {
    if constexpr (std::integral<T>) {
      if (!is_exact_double(weights[i])) throw_inexact_weight(i, std::to_string(weights[i]));
    }
    converted[i] = static_cast<double>(weights[i]);
  }
  return converted;
}

}  // namespace detail

/// Parameter type for weights in the caller's representation: a `WeightsView`, any contiguous range
/// of numbers in host memory (`std::vector<int>`, `std::array`, an array, a `std::span`), or an
/// initializer list. `float` and `double` are viewed in place; other types are converted to
/// `double` in memory that this object owns; `long double` is rounded.
///
/// @throws Error for an integer that a double cannot represent exactly; the message gives its index
/// @throws OutOfMemory if the converted weights, 8 bytes per item, do not fit in memory
/// @note Neither copyable nor movable, because the range need not outlive the call.
class AnyWeights {
 public:
  /// @param weights in host or device memory
  AnyWeights(WeightsView weights) : view_(weights) {}  // NOLINT(google-explicit-constructor)

  /// @param weights one per item, in host memory
  template <NumberRange R>
  AnyWeights(const R& weights WRSGPU_LIFETIME_BOUND)  // NOLINT(google-explicit-constructor)
      : AnyWeights(std::span<const ElementOf<R>>(std::data(weights), std::size(weights)), Span{}) {}

  /// @param weights such as {1, 2, 3}; numbers of different types are converted to `double`
  template <WeightNumber T>
  AnyWeights(std::initializer_list<T> weights WRSGPU_LIFETIME_BOUND)
      : AnyWeights(std::span<const T>(weights.begin(), weights.size()), Span{}) {}
  AnyWeights(std::initializer_list<double> weights WRSGPU_LIFETIME_BOUND)
      : AnyWeights(std::span<const double>(weights.begin(), weights.size()), Span{}) {}

  AnyWeights(const AnyWeights&) = delete;
  AnyWeights& operator=(const AnyWeights&) = delete;
  ~AnyWeights() = default;

  /// The view is valid as long as this object.
  [[nodiscard]] WeightsView view() const WRSGPU_LIFETIME_BOUND { return view_; }

 private:
  struct Span {};

  template <class T>
  AnyWeights(std::span<const T> weights, Span /*tag*/)
      : converted_(detail::in_double_precision(weights)),
        view_(std::span<const double>(converted_.data(), weights.size())) {}
  AnyWeights(std::span<const float> weights, Span /*tag*/) : view_(weights) {}
  AnyWeights(std::span<const double> weights, Span /*tag*/) : view_(weights) {}

  HostBuffer<double> converted_;
  WeightsView view_;
};

}  // namespace wrsgpu
