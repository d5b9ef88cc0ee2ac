// Counts of many samples without drawing them, on the GPU; multinomial_counts.hpp is the host
// counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wrsgpu/detail/core/work_storage.cuh"
#include "wrsgpu/multinomial_counts.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Computes the counts of `multinomial_counts`, in memory that is allocated beforehand.
///
/// A counter is bound to the device that is current when it is constructed. Its calls must not
/// overlap: one stream, or several in order.
class GpuMultinomialCounter {
 public:
  /// @param max_items maximum number of weights of a call: 1 to 2^32 - 2
  /// @throws Error for numbers outside this range, and without a GPU
  /// @throws OutOfMemory
  /// @note Allocates some 0.1 bytes of device memory per item.
  explicit GpuMultinomialCounter(Index max_items);
  /// A counter in memory of the caller, for example from a stream-ordered pool.
  ///
  /// @param max_items as above
  /// @param storage `storage_bytes(max_items)` bytes of device memory, aligned to 256, which the
  /// caller keeps until the work has run and `finish` has been called, if it is
  /// @throws Error for none; later calls throw it for too few bytes
  GpuMultinomialCounter(Index max_items, std::span<std::byte> storage);
  /// The memory of a counter.
  [[nodiscard]] static std::size_t storage_bytes(Index max_items);

  [[nodiscard]] Index max_items() const { return max_items_; }

  /// Sets counts[i] to how often item i comes in `samples` samples; see `multinomial_counts`.
  /// `finish` reports invalid weights, for which nothing is written.
  ///
  /// @param weights in device memory, at most `max_items()`; must not change before `finish`
  /// @param counts in device memory, one per weight
  /// @param samples any number
  /// @param state seed and offset: one word of the stream
  /// @param stream the stream on which the work is launched
  /// @throws Error for other sizes, and for memory that the device cannot access
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
  void count(WeightsView weights, std::span<std::uint64_t> counts, std::uint64_t samples,
             RandomState state, cudaStream_t stream = nullptr);
  /// The same with a state in device memory, read when the work runs, so that a graph can be
  /// replayed with other random numbers.
  void count(WeightsView weights, std::span<std::uint64_t> counts, std::uint64_t samples,
             const RandomState* state, cudaStream_t stream = nullptr);

  /// Counts like `count` with the state `*state`, and then adds 1 to its offset, the number of
  /// words used: the next call, or the next replay of a graph, counts anew.
  void count_and_advance(WeightsView weights, std::span<std::uint64_t> counts,
                         std::uint64_t samples, RandomState* state, cudaStream_t stream = nullptr);

  /// Synchronises `stream`, and reports the outcome of the last `count` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @throws Error for invalid weights, and if there was no `count`
  void finish(cudaStream_t stream = nullptr);

 private:
  void launch(WeightsView weights, std::span<std::uint64_t> counts, std::uint64_t samples,
              RandomState state, const RandomState* state_on_device, cudaStream_t stream);

  Index max_items_;
  WorkStorage storage_;
  std::optional<WeightsView> weights_;  // of the last call
};

}  // namespace wrsgpu
