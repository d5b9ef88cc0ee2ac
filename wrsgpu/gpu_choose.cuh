// Weighted sampling without replacement on the GPU; choose.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/core/work_storage.cuh"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Chooses k of N items by weight, without replacement, with the law and the items of `choose`, in
/// memory that is allocated beforehand.
///
/// The weights are read once. If the sample of them from which a threshold is estimated misleads,
/// the device decides to read them again, two to six times, at the cost of as many passes; the
/// items chosen are the same.
///
/// A chooser is bound to the device that is current when it is constructed. Its calls must not
/// overlap: one stream, or several in order.
class GpuChooser {
 public:
  /// @param max_items maximum number of weights of a call: 1 to 2^32 - 2
  /// @param max_chosen maximum number of items chosen by a call: 1 to `max_items`
  /// @throws Error for numbers outside these ranges, and without a GPU
  /// @throws OutOfMemory
  /// @note Allocates some 30 bytes of device memory per chosen item, and 3 bytes per thousand
  /// items.
  GpuChooser(Index max_items, Index max_chosen);
  /// A chooser in memory of the caller, for example from a stream-ordered pool.
  ///
  /// @param max_items,max_chosen as above
  /// @param storage `storage_bytes(max_items, max_chosen)` bytes of device memory, aligned to 256,
  /// which the caller keeps until the work has run and `finish` has been called, if it is
  /// @throws Error for none; later calls throw it for too few bytes
  GpuChooser(Index max_items, Index max_chosen, std::span<std::byte> storage);
  /// The memory of a chooser.
  [[nodiscard]] static std::size_t storage_bytes(Index max_items, Index max_chosen);

  [[nodiscard]] Index max_items() const { return max_items_; }
  [[nodiscard]] Index max_chosen() const { return max_chosen_; }

  /// Chooses out.size() items; see `choose`. `finish` reports invalid weights and too few positive
  /// ones, for which nothing is written.
  ///
  /// @param weights in device memory, at most `max_items()`; must not change before `finish`
  /// @param out the items chosen, in device memory, in the order in which they are drawn: at least
  /// one, at most `max_chosen()` and weights.size(). Elements beyond a shorter result
  /// (`ChooseOptions::allow_fewer`) are unchanged.
  /// @param state seed, and offset into the stream of random words: one word per weight
  /// @param stream the stream on which the work is launched
  /// @param options see `ChooseOptions`
  /// @throws Error for other sizes, and for memory that the device cannot access
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
  void choose(WeightsView weights, std::span<Index> out, RandomState state,
              cudaStream_t stream = nullptr, const ChooseOptions& options = {});
  /// The same with a state in device memory, read when the work runs, so that a graph can be
  /// replayed with other random numbers.
  void choose(WeightsView weights, std::span<Index> out, const RandomState* state,
              cudaStream_t stream = nullptr, const ChooseOptions& options = {});

  /// Chooses like `choose` with the state `*state`, and then adds weights.size() to its offset, the
  /// number of words used: the next call, or the next replay of a graph, chooses anew.
  void choose_and_advance(WeightsView weights, std::span<Index> out, RandomState* state,
                          cudaStream_t stream = nullptr, const ChooseOptions& options = {});

  /// Synchronises `stream`, and reports the outcome of the last `choose` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @returns the number of items chosen
  /// @throws Error as `wrsgpu::choose` does, if there was no `choose`, and "too many clocks are
  /// equal" if more items than there is room for have random numbers that agree where the last item
  /// is chosen; another state will do
  Index finish(cudaStream_t stream = nullptr);

 private:
  void launch(WeightsView weights, std::span<Index> out, RandomState state,
              const RandomState* state_on_device, RandomState* advanced, cudaStream_t stream,
              const ChooseOptions& options);

  Index max_items_;
  Index max_chosen_;
  WorkStorage storage_;
  std::optional<WeightsView> weights_;  // of the last call
  Index chosen_ = 0;                    // requested by it
  Index capacity_ = 0;                  // maximum number of its clocks
  bool allow_fewer_ = false;
};

}  // namespace wrsgpu
