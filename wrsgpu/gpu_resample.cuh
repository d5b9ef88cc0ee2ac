// Resampling on the GPU; resample.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <span>

#include "wrsgpu/detail/core/work_storage.cuh"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/resample.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Draws the ancestors of `wrsgpu::resample`, in memory that is allocated beforehand.
///
/// A resampler is bound to the device that is current when it is constructed. Its calls must not
/// overlap: one stream, or several in order.
class GpuResampler {
 public:
  /// @param max_items maximum number of weights of a call: 1 to 2^32 - 2
  /// @param max_ancestors maximum number of ancestors of a call: 1 to 2^32 - 2
  /// @throws Error for numbers outside these ranges, and without a GPU
  /// @throws OutOfMemory
  /// @note Allocates some 6 bytes of device memory per ancestor and 0.1 bytes per item.
  GpuResampler(Index max_items, Index max_ancestors);
  /// A resampler in memory of the caller, for example from a stream-ordered pool.
  ///
  /// @param max_items,max_ancestors as above
  /// @param storage `storage_bytes(max_items, max_ancestors)` bytes of device memory, aligned to
  /// 256, which the caller keeps until the work has run and `finish` has been called, if it is
  /// @throws Error for none; later calls throw it for too few bytes
  GpuResampler(Index max_items, Index max_ancestors, std::span<std::byte> storage);
  /// The memory of a resampler.
  [[nodiscard]] static std::size_t storage_bytes(Index max_items, Index max_ancestors);

  [[nodiscard]] Index max_items() const { return max_items_; }
  [[nodiscard]] Index max_ancestors() const { return max_ancestors_; }

  /// Draws ancestors.size() items in ascending order; see `wrsgpu::resample`. `finish` reports
  /// invalid weights, for which nothing is written.
  ///
  /// @param weights in device memory, at most `max_items()`; must not change before `finish`
  /// @param ancestors the items drawn, in device memory: 1 to `max_ancestors()`
  /// @param scheme see `ResamplingScheme`
  /// @param state seed, and offset into the stream of random words: ancestors.size() words
  /// @param stream the stream on which the work is launched
  /// @throws Error for other sizes, and for memory that the device cannot access
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
  void resample(WeightsView weights, std::span<Index> ancestors, ResamplingScheme scheme,
                RandomState state, cudaStream_t stream = nullptr);
  /// The same with a state in device memory, read when the work runs, so that a graph can be
  /// replayed with other random numbers.
  void resample(WeightsView weights, std::span<Index> ancestors, ResamplingScheme scheme,
                const RandomState* state, cudaStream_t stream = nullptr);

  /// Draws like `resample` with the state `*state`, and then adds ancestors.size() to its offset,
  /// the number of words used: the next call, or the next replay of a graph, draws anew.
  void resample_and_advance(WeightsView weights, std::span<Index> ancestors,
                            ResamplingScheme scheme, RandomState* state,
                            cudaStream_t stream = nullptr);

  /// Synchronises `stream`, and reports the outcome of the last `resample` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @throws Error for invalid weights, and if there was no `resample`
  void finish(cudaStream_t stream = nullptr);

 private:
  void launch(WeightsView weights, std::span<Index> ancestors, ResamplingScheme scheme,
              RandomState state, const RandomState* state_on_device, cudaStream_t stream);

  Index max_items_;
  Index max_ancestors_;
  WorkStorage storage_;
  std::optional<WeightsView> weights_;  // of the last call
};

}  // namespace wrsgpu
