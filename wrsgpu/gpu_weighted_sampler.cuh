// Weighted random sampling on the GPU; its twin on the host is in weighted_sampler.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

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

/// `WeightedSampler` with its table in the memory of the device that is current when it is made,
/// and must be whenever it is used. Same weights, same table, bit for bit; in random order also the
/// same samples.
///
/// `draw`, `histogram` and `rebuild` on a stream only launch work there: they do not wait, take
/// memory only from the device's stream-ordered pool, and can be captured in a CUDA graph; but in
/// Debug builds every launch waits (`check_launch`). Where samples may come in any order a graph
/// can have nodes that allocate, of which CUDA lets one executable exist at a time. All else waits.
/// Work on several streams is the caller's to order: a draw must not run while a rebuild does.
class GpuWeightedSampler {
 public:
  /// Builds from weights in device memory (`WeightsView::on_device`) or host memory, of which a
  /// copy is made for as long as it takes. Waits. Throws `Error` for weights that make no sense and
  /// where there is no GPU, and `OutOfMemory`.
  explicit GpuWeightedSampler(WeightsView weights, const WeightedSamplerOptions& options = {});

  /// Reads what `save` of either twin wrote, or another fixed-point table. Throws as
  /// `WeightedSampler::load`. There is no memory for `rebuild` on a stream until the other one has
  /// been called.
  [[nodiscard]] static GpuWeightedSampler load(const std::filesystem::path& file,
                                               const WeightedSamplerOptions& options = {});

  GpuWeightedSampler(GpuWeightedSampler&&) noexcept;
  GpuWeightedSampler& operator=(GpuWeightedSampler&&) noexcept;
  ~GpuWeightedSampler();

  /// Number of items.
  [[nodiscard]] Index size() const;
  /// Most items that `rebuild` on a stream has memory for.
  [[nodiscard]] Index capacity() const;

  /// Builds anew, from any number of weights in either memory, when all work on the device is done,
  /// and waits. Memory is kept when it is large enough; otherwise views, and graphs that captured
  /// this sampler, are no longer valid, and views are not where there are fewer or more weights.
  /// Throws what the constructor throws; invalid weights leave all as it was, rebuilds on streams
  /// and graphs that captured them included. After `OutOfMemory` there may be no table until the
  /// next rebuild, and all else throws `Error`.
  void rebuild(WeightsView weights);

  /// Launches the same on `stream` for `capacity()` weights or fewer in device memory, which must
  /// be there until `finish`. What follows on the stream uses the new table, and so do views if
  /// there are as many weights as before; otherwise these are no longer valid. Throws `Error` for
  /// too many weights, or none, or a view of host memory, or memory that the device cannot use.
  ///
  /// A capture in a graph counts as the rebuild: nothing may be drawn until the graph has run.
  /// Later rebuilds of as many weights leave it valid, and those of the last rebuild must stay
  /// until `finish`; after one of fewer or more it must not be launched: draws would return items
  /// that are not there.
  ///
  /// Weights that make no sense show in `finish` only; until then the table gives all items the
  /// same probability. The old table is gone.
  void rebuild(WeightsView weights, cudaStream_t stream);

  /// Waits for `stream` and throws the `Error` of the weights, if they made no sense, of the last
  /// `rebuild` on it, or of the last replay of a graph that captured it, and `Error` where that one
  /// was of another number of weights than the last rebuild. There is no table then until the next
  /// rebuild. Throws `Error` when there was no rebuild on a stream since the last one without.
  void finish(cudaStream_t stream);

  /// Fills `out` (device memory) with independent items; see `WeightedSampler::draw`. Throws
  /// `Error` when `out` is empty or in memory that the device cannot use.
  void draw(std::span<Index> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Writes to counts[i] (device memory) how often item i is among the samples that `draw` gives
  /// for the same arguments, of which none is stored. Throws `Error` unless there are size() counts
  /// in device memory and at least one sample.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state,
                 cudaStream_t stream = nullptr) const;

  /// Copies the rows to the host when all work on the device is done: for those who check them.
  /// Throws `Error` while there is a rebuild that `finish` has not been called for.
  [[nodiscard]] HostTable to_host() const;

  /// Writes the table to a file when all work on the device is done: the host's, byte for byte.
  /// Throws `Error` while there is a rebuild that `finish` has not been called for.
  void save(const std::filesystem::path& file) const;

  /// To draw word by word in a kernel.
  [[nodiscard]] SamplerView view() const;
  /// Throws `Error` when the options did not ask for probabilities.
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  explicit GpuWeightedSampler(const WeightedSamplerOptions& options);
  /// Throws `Error` where another device is current, or there is no table to build or use.
  [[nodiscard]] MergeBuilder& usable() const;

  WeightedSamplerOptions options_;
  int device_ = 0;
  std::unique_ptr<MergeBuilder> table_;
  std::unique_ptr<GpuSampler> sampler_;
  DeviceItemProbabilities probabilities_;
  Index capacity_ = 0;
  std::optional<WeightsView> launched_;  // weights of the last rebuild on a stream
};

}  // namespace wrsgpu
