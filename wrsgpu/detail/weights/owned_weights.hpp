// Weights that were read or generated, and the owner of their memory.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::weights {

/// A move-only array of `float` or `double` weights in host memory.
class OwnedWeights {
 public:
  OwnedWeights() = default;  ///< none
  explicit OwnedWeights(HostBuffer<float> weights) : weights_(std::move(weights)) {}
  explicit OwnedWeights(HostBuffer<double> weights) : weights_(std::move(weights)) {}

  [[nodiscard]] WeightsView view() const {
    return std::visit([](const auto& buffer) { return WeightsView(buffer.span()); }, weights_);
  }
  [[nodiscard]] std::uint64_t size() const {
    return std::visit([](const auto& buffer) -> std::uint64_t { return buffer.size(); }, weights_);
  }

 private:
  std::variant<HostBuffer<float>, HostBuffer<double>> weights_;
};

}  // namespace wrsgpu::weights
