// The probabilities of item_probabilities.hpp in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Owner of an array of probabilities and of what finding them takes.
class DeviceItemProbabilities {
 public:
  DeviceItemProbabilities() = default;
  /// @param items that there is memory for, or fewer
  /// @throws OutOfMemory when there is no memory for them
  explicit DeviceItemProbabilities(Index items);

  /// Items that there is memory for.
  [[nodiscard]] std::size_t capacity() const { return values_.size(); }

  /// Computes the host's probabilities (library/item_probabilities.hpp), bit for bit.
  ///
  /// @param weights in device memory, `capacity()` or fewer; invalid ones give all items the same
  /// @param stream where the work is launched
  /// @note Asynchronous; no allocation.
  void launch(WeightsView weights, cudaStream_t stream);

  /// In device memory.
  [[nodiscard]] float* data() { return values_.data(); }
  [[nodiscard]] const float* data() const { return values_.data(); }

 private:
  DeviceBuffer<float> values_;
  DeviceBuffer<std::byte> temporary_;
};

}  // namespace wrsgpu
