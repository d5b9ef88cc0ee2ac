// Weighted random sampling on the GPU; its twin on the host is in weighted_sampler.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

class MergeBuilder;
class GpuSampler;

/// `WeightedSampler` with its table in device memory. Same weights, same table, bit for bit; in
/// random order also the same samples. What is said there of rounding, and of samplers without a
/// table, holds here, too.
///
/// A sampler belongs to the device that is current when it gets its first table, and that must be
/// current whenever it is used.
///
/// @note `draw`, `histogram` and `rebuild` on a stream are asynchronous: they only launch work
/// there, allocate only from the device's stream-ordered pool, and can be captured in a CUDA graph;
/// but in Debug builds every launch waits (`check_launch`). Where samples may come in any order a
/// graph can have nodes that allocate, of which CUDA lets one executable exist at a time. All else
/// waits.
/// @note Work on several streams is the caller's to order: a draw must not run while a rebuild
/// does.
class GpuWeightedSampler {
 public:
  /// Makes a sampler without a table, for weights that come later.
  ///
  /// @param options what is to be chosen; see there
  /// @note Needs no device, and allocates nothing.
  explicit GpuWeightedSampler(const WeightedSamplerOptions& options);
  GpuWeightedSampler() : GpuWeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table, and waits. The weights are not kept.
  ///
  /// @param weights in device memory (`WeightsView::on_device`) or in host memory, of which a copy
  /// is made for as long as it takes; one per item: at least one, at most 2^32 - 2, in any unit
  /// @param options what is to be chosen; see there
  /// @throws Error for invalid weights, as `WeightedSampler`, and where there is no GPU
  /// @throws OutOfMemory when there is no memory for the table
  explicit GpuWeightedSampler(const AnyWeights& weights,
                              const WeightedSamplerOptions& options = {});

  /// Reads a table: what `save` of either twin wrote, or another fixed-point table. There is no
  /// memory for `rebuild` on a stream until the other one has been called.
  ///
  /// @param file of `save_table`; see wrsgpu/detail/table/table_file.hpp
  /// @param options what is to be chosen; see there
  /// @throws Error as `WeightedSampler::load`, and where there is no GPU
  /// @throws OutOfMemory when there is no memory for the table
  [[nodiscard]] static GpuWeightedSampler load(const std::filesystem::path& file,
                                               const WeightedSamplerOptions& options = {});

  /// The one that is moved from has no table then, and the options that it had.
  GpuWeightedSampler(GpuWeightedSampler&&) noexcept;
  GpuWeightedSampler& operator=(GpuWeightedSampler&&) noexcept;
  ~GpuWeightedSampler();

  /// Number of items, 0 where there is no table.
  [[nodiscard]] Index size() const;
  /// Most items that `rebuild` on a stream has memory for.
  [[nodiscard]] Index capacity() const;

  /// Builds anew, from any number of weights.
  ///
  /// @param weights as the constructor's
  /// @throws Error as the constructor does; the table is the old one then
  /// @throws OutOfMemory when there is no memory for the table; there may be none then
  /// @note Waits until all work on the device is done, and until the table is built.
  /// @note Memory is kept when it is large enough; otherwise views, and graphs that captured this
  /// sampler, are no longer valid, and views are not where there are fewer or more weights.
  void rebuild(const AnyWeights& weights);

  /// Builds anew in the order of a stream. What follows there uses the new table, and so do views
  /// if there are as many weights as before; otherwise these are no longer valid.
  ///
  /// @param weights in device memory, where they must be until `finish`; at least one, `capacity()`
  /// or fewer. Invalid ones show in `finish` only; until then the table gives all items the same
  /// probability. The old table is gone.
  /// @param stream where the work is launched
  /// @throws Error for too many weights, or none, or a view of host memory, or memory that the
  /// device cannot use
  /// @note Asynchronous; allocates nothing.
  /// @note A capture in a graph counts as the rebuild: nothing may be drawn until the graph has
  /// run. Later rebuilds of as many weights leave it valid, and those of the last rebuild must stay
  /// until `finish`; after one of fewer or more it must not be launched: draws would return items
  /// that are not there.
  void rebuild(WeightsView weights, cudaStream_t stream);

  /// Waits for `stream`, and says how the last `rebuild` on it went, or the last replay of a graph
  /// that captured it.
  ///
  /// @param stream that of the rebuild, or of the replay
  /// @throws Error for invalid weights, where the replay was of another number of weights than the
  /// last rebuild, and when there was no rebuild on a stream since the last one without. After the
  /// first two there is no table until the next rebuild.
  void finish(cudaStream_t stream);

  /// Draws independent items; see `WeightedSampler::draw`.
  ///
  /// @param out items, in device memory; nothing is done when it is empty
  /// @param state seed, and offset in the stream of random words, in samples
  /// @param stream where the work is launched
  /// @throws Error when `out` is in memory that the device cannot use, and when there is no table
  /// @note Asynchronous; in random order it allocates nothing.
  void draw(std::span<Index> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Counts the samples that `draw` gives for the same arguments, of which none is stored.
  ///
  /// @param counts counts[i] becomes how often item i is among them; size() of them, in device
  /// memory
  /// @param samples how many; for 0 all counts become 0
  /// @param state as that of `draw`
  /// @param stream where the work is launched
  /// @throws Error for another number of counts, or in memory that the device cannot use, and when
  /// there is no table
  /// @note Asynchronous, as `draw`.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state,
                 cudaStream_t stream = nullptr) const;

  /// Copies the rows to the host when all work on the device is done: for those who check them.
  /// Throws `Error` while there is a rebuild that `finish` has not been called for.
  [[nodiscard]] HostTable to_host() const;

  /// Writes the table to a file: the host's, byte for byte.
  ///
  /// @param file to be written, or replaced
  /// @throws Error when it cannot be written, when there is no table, and while there is a rebuild
  /// that `finish` has not been called for
  /// @note Waits until all work on the device is done.
  void save(const std::filesystem::path& file) const;

  /// To draw in a kernel of one's own; see `SamplerView` for how long.
  ///
  /// @throws Error when there is no table
  [[nodiscard]] SamplerView view() const;

  /// The same with probabilities.
  ///
  /// @throws Error when the options did not ask for them, and when there is no table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  /// The owner of the rows. Throws `Error` where another device is current, or there is none.
  [[nodiscard]] MergeBuilder& usable() const;
  /// The same, made where there is none, for the current device.
  [[nodiscard]] MergeBuilder& made();

  WeightedSamplerOptions options_;
  int device_ = 0;
  std::unique_ptr<MergeBuilder> table_;  // none before the first rebuild
  std::unique_ptr<GpuSampler> sampler_;  // as long as there is a table
  DeviceItemProbabilities probabilities_;
  Index capacity_ = 0;
  std::optional<WeightsView> launched_;  // weights of the last rebuild on a stream
};

}  // namespace wrsgpu
