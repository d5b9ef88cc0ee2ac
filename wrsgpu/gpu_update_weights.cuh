// Changes of single weights on the GPU; update_weights.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <variant>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/types.hpp"
#include "wrsgpu/update_weights.hpp"

namespace wrsgpu {

/// Changes single weights in device memory. With `GpuWeightedSampler::rebuild` on the same stream,
/// a graph can contain updates, the rebuild and draws.
///
/// An updater is bound to the device that is current when it is constructed. Its calls must not
/// overlap: one stream, or several in order.
class GpuWeightUpdater {
 public:
  /// @param max_items maximum number of weights: 1 to 2^32 - 2
  /// @throws Error for numbers outside this range, and without a GPU
  /// @throws OutOfMemory
  /// @note Allocates 4 bytes of device memory per item.
  explicit GpuWeightUpdater(Index max_items);

  [[nodiscard]] Index max_items() const { return static_cast<Index>(stamps_.size()); }

  /// Sets weights[indices[j]] = values[j] for all j. Of several values for one item the last one
  /// remains. `finish` reports invalid indices and values, for which nothing is written.
  ///
  /// @param weights one per item, in device memory, at most `max_items()`
  /// @param indices items, in any order, in device memory; must not change before `finish`
  /// @param values their new weights, in device memory; must not change before `finish`
  /// @param stream the stream on which the work is launched
  /// @throws Error for other sizes, and for memory that the device cannot access
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
  void update(std::span<float> weights, std::span<const Index> indices,
              std::span<const float> values, cudaStream_t stream = nullptr);
  void update(std::span<double> weights, std::span<const Index> indices,
              std::span<const double> values, cudaStream_t stream = nullptr);

  /// Synchronises `stream`, and reports the outcome of the last `update` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @throws Error as `update_weights` does, and if there was no `update`
  void finish(cudaStream_t stream = nullptr);

 private:
  template <class T>
  void launch(std::span<T> weights, std::span<const Index> indices, std::span<const T> values,
              cudaStream_t stream);

  template <class T>
  struct Update {
    std::span<const Index> indices;
    std::span<const T> values;
    std::uint64_t items;
  };

  DeviceBuffer<Index> stamps_;             // all 0 between updates
  DeviceBuffer<unsigned long long> last_;  // the first invalid update, counted from the end; or 0
  std::variant<std::monostate, Update<float>, Update<double>> update_;  // the last one
};

}  // namespace wrsgpu
