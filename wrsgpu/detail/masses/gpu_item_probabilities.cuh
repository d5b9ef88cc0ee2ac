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
  /// Memory for `items` items or fewer.
  explicit DeviceItemProbabilities(Index items);

  /// Items that there is memory for.
  [[nodiscard]] std::size_t capacity() const { return values_.size(); }

  /// Launches the computation from `weights` (device memory, `capacity()` or fewer): the host's
  /// probabilities, bit for bit. Neither allocates nor waits. Unfit weights give all items the
  /// same.
  void launch(WeightsView weights, cudaStream_t stream);

  /// In device memory.
  [[nodiscard]] float* data() { return values_.data(); }
  [[nodiscard]] const float* data() const { return values_.data(); }

 private:
  DeviceBuffer<float> values_;
  DeviceBuffer<std::byte> temporary_;
};

}  // namespace wrsgpu
