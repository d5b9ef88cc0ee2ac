// A non-owning view of a caller's weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Weights as every construction takes them: `float` or `double`, one per item, not necessarily
/// normalised, in host memory or in device memory. Does not own them.
class WeightsView {
 public:
  enum class Type { float32, float64 };

  WeightsView(std::span<const float> weights)  // NOLINT(google-explicit-constructor)
      : data_(weights.data()), size_(weights.size()), type_(Type::float32) {}
  WeightsView(std::span<const double> weights)  // NOLINT(google-explicit-constructor)
      : data_(weights.data()), size_(weights.size()), type_(Type::float64) {}
  WeightsView(const std::vector<float>& weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const float>(weights)) {}
  WeightsView(const std::vector<double>& weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const double>(weights)) {}

  WeightsView(std::span<float> weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const float>(weights)) {}
  WeightsView(std::span<double> weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(std::span<const double>(weights)) {}
  template <class T>
  WeightsView(const HostBuffer<T>& weights)  // NOLINT(google-explicit-constructor)
      : WeightsView(weights.span()) {}

  /// The same for a span of device memory.
  template <class T>
  [[nodiscard]] static WeightsView on_device(std::span<T> weights) {
    WeightsView view(weights);
    view.device_ = Device::cuda;
    return view;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Type type() const { return type_; }
  /// The memory the weights lie in.
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
