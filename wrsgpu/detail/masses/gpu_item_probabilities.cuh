// The probabilities of item_probabilities.hpp in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Owner of an array of probabilities and of the temporary storage for computing them.
class DeviceItemProbabilities {
 public:
  DeviceItemProbabilities() = default;
  /// @param maximum number of items
  /// @throws OutOfMemory when they do not fit in memory
  explicit DeviceItemProbabilities(Index items);

  /// Maximum number of items.
  [[nodiscard]] std::size_t capacity() const { return values_.size(); }

  /// Computes the host's probabilities (item_probabilities.hpp), bit for bit.
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
