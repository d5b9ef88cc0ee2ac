// Weights that a sampler keeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::detail {

/// A copy of weights of either type; `Buffer` is that of the memory that they are in.
template <template <class> class Buffer, Device device>
class KeptWeights {
 public:
  /// Copies `weights` by `copy(from, to)`, two spans, unless they are the kept ones. Allocates only
  /// if there were never as many of this type.
  template <class Copy>
  void assign(WeightsView weights, const Copy& copy) {
    weights.visit([&]<class T>(std::span<const T> from) {
      if (!has_room_for(from)) {
        size_ = 0;
        buffer_.template emplace<Buffer<T>>(from.size());  // frees the old one first
      }
      auto& buffer = std::get<Buffer<T>>(buffer_);
      size_ = from.size();
      if (from.data() != buffer.data()) copy(from, std::span<T>(buffer.data(), size_));
    });
  }
  /// Whether `assign` needs no memory for these weights.
  [[nodiscard]] bool have_room_for(WeightsView weights) const {
    return weights.visit([&](auto from) { return has_room_for(from); });
  }

  /// Throws `Error` if there are none.
  [[nodiscard]] WeightsView view() const {
    require_kept();
    return std::visit(
        [&]<class T>(const Buffer<T>& buffer) {
          const std::span<const T> all(buffer.data(), size_);
          return device == Device::cpu ? WeightsView(all) : WeightsView::on_device(all);
        },
        buffer_);
  }
  /// The weights, to be changed. Throws `Error` if there are none, or of the other type.
  template <class T>
  [[nodiscard]] std::span<T> span() {
    require_kept();
    auto* const buffer = std::get_if<Buffer<T>>(&buffer_);
    if (buffer != nullptr) return {buffer->data(), size_};
    throw Error(std::string("argument 'values' has type ") +
                (sizeof(T) == sizeof(float) ? "float" : "double") +
                "; the sampler keeps weights of the other type");
  }

 private:
  template <class T>
  [[nodiscard]] bool has_room_for(std::span<const T> weights) const {
    const auto* const buffer = std::get_if<Buffer<T>>(&buffer_);
    return buffer != nullptr && buffer->size() >= weights.size();
  }
  void require_kept() const {
    if (size_ > 0) return;
    throw Error(
        "the sampler keeps no weights; construct it from weights with the option "
        "keep_weights");
  }

  std::variant<Buffer<float>, Buffer<double>> buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace wrsgpu::detail
