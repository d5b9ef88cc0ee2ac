// Weighted random sampling on the GPU; weighted_sampler.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

class MergeBuilder;
class GpuSampler;

/// `WeightedSampler` with its table in device memory. Equal weights give the same table, bit for
/// bit, and in random order the same samples. The notes there on rounding and on samplers without a
/// table apply here too.
///
/// A sampler belongs to the device that is current when it gets its first table. This device must
/// be current at every use.
///
/// @note `draw`, `histogram` and `rebuild` on a stream are asynchronous: they only launch work
/// there, allocate only from the device's stream-ordered pool, and can be captured in a CUDA graph.
/// In Debug builds every launch synchronises (`check_launch`). With `SampleOrder::any` a graph can
/// contain allocation nodes; CUDA allows only one executable instance of such a graph at a time.
/// All else synchronises.
/// @note The caller orders work on several streams: a draw must not overlap a rebuild.
class GpuWeightedSampler {
 public:
  /// Makes a sampler without a table; `rebuild` supplies the weights.
  ///
  /// @param options see `WeightedSamplerOptions`
  /// @note Needs no device, and allocates nothing.
  explicit GpuWeightedSampler(const WeightedSamplerOptions& options);
  GpuWeightedSampler() : GpuWeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table. The weights are not kept.
  ///
  /// @param weights in device memory (`WeightsView::on_device`) or in host memory, which is copied
  /// for the duration of the call; one per item: at least one, at most 2^32 - 2, in any unit
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for invalid weights, as `WeightedSampler`, and without a GPU
  /// @throws OutOfMemory when the table does not fit in memory
  /// @note Synchronous.
  explicit GpuWeightedSampler(const AnyWeights& weights,
                              const WeightedSamplerOptions& options = {});

  /// Reads a table that `save` wrote on the host or the GPU, or another fixed-point table.
  /// `rebuild` on a stream has no memory until the synchronous `rebuild` has been called.
  ///
  /// @param file as `save_table` writes it; see wrsgpu/detail/table/table_file.hpp
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error as `WeightedSampler::load`, and without a GPU
  /// @throws OutOfMemory when the table does not fit in memory
  [[nodiscard]] static GpuWeightedSampler load(const std::filesystem::path& file,
                                               const WeightedSamplerOptions& options = {});

  /// The moved-from sampler has no table, and keeps its options.
  GpuWeightedSampler(GpuWeightedSampler&&) noexcept;
  GpuWeightedSampler& operator=(GpuWeightedSampler&&) noexcept;
  ~GpuWeightedSampler();

  /// Number of items; 0 without a table.
  [[nodiscard]] Index size() const;
  /// Maximum number of items that `rebuild` on a stream has memory for.
  [[nodiscard]] Index capacity() const;

  /// Rebuilds the table from any number of weights.
  ///
  /// @param weights as for the constructor
  /// @throws Error as the constructor does; the old table then remains
  /// @throws OutOfMemory when the table does not fit in memory; the sampler may then have no table
  /// @note Synchronises the device before the build and after it.
  /// @note Keeps its memory when that is large enough; otherwise views, and graphs that captured
  /// this sampler, become invalid. Views also become invalid when the number of weights changes.
  void rebuild(const AnyWeights& weights);

  /// Rebuilds the table in stream order. Later work on the stream uses the new table. Views use it
  /// too if the number of weights is unchanged; otherwise they become invalid.
  ///
  /// @param weights in device memory, unchanged until `finish`: at least one, at most `capacity()`.
  /// `finish` reports invalid weights; until then the table gives all items the same probability.
  /// The old table is overwritten.
  /// @param stream where the work is launched
  /// @throws Error for too many weights, none, a view of host memory, or memory that the device
  /// cannot access
  /// @note Asynchronous; no allocation.
  /// @note Capturing a rebuild in a graph counts as the rebuild: no draw is allowed until the graph
  /// has run. Later rebuilds from equally many weights leave the graph valid; the weights of the
  /// last rebuild must stay until `finish`. After a rebuild from fewer or more weights the graph
  /// must not be launched: draws would return items out of range.
  void rebuild(WeightsView weights, cudaStream_t stream);

  /// Synchronises `stream`, and reports the outcome of the last `rebuild` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @param stream the stream of the rebuild or of the replay
  /// @throws Error for invalid weights, for a replay with another number of weights than the last
  /// rebuild, and when no rebuild on a stream followed the last synchronous one. After the first
  /// two the sampler has no table until the next rebuild.
  void finish(cudaStream_t stream);

  /// Draws independent items; see `WeightedSampler::draw`.
  ///
  /// @param out the samples, in device memory; may be empty
  /// @param state seed, and offset in the stream of random words, in samples
  /// @param stream where the work is launched
  /// @throws Error when the device cannot access `out`, and without a table
  /// @note Asynchronous; no allocation in random order.
  void draw(std::span<Index> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Counts the samples that `draw` gives for the same arguments, without storing them.
  ///
  /// @param counts size() elements in device memory; counts[i] becomes the number of samples that
  /// are item i
  /// @param samples number of samples; 0 sets all counts to 0
  /// @param state as for `draw`
  /// @param stream where the work is launched
  /// @throws Error when counts.size() != size() or the device cannot access `counts`, and without a
  /// table
  /// @note Asynchronous, as `draw`.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state,
                 cudaStream_t stream = nullptr) const;

  /// Copies the rows to the host, for verification.
  ///
  /// @throws Error while a rebuild awaits `finish`
  /// @note Synchronises the device.
  [[nodiscard]] HostTable to_host() const;

  /// Writes the table to a file, byte for byte the file that the host writes.
  ///
  /// @param file to be written, or replaced
  /// @throws Error when the file cannot be written, without a table, and while a rebuild awaits
  /// `finish`
  /// @note Synchronises the device.
  void save(const std::filesystem::path& file) const;

  /// A view for drawing in the caller's own kernels; see `SamplerView` for its lifetime.
  ///
  /// @throws Error without a table
  [[nodiscard]] SamplerView view() const;

  /// A view that also gives the items' probabilities.
  ///
  /// @throws Error unless the options have `with_probabilities`, and without a table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  /// The owner of the rows. Throws `Error` without one, or when another device is current.
  [[nodiscard]] MergeBuilder& usable() const;
  /// The owner of the rows, created for the current device if there is none.
  [[nodiscard]] MergeBuilder& made();

  WeightedSamplerOptions options_;
  int device_ = 0;
  std::unique_ptr<MergeBuilder> table_;  // null before the first rebuild
  std::unique_ptr<GpuSampler> sampler_;  // null without a table
  DeviceBuffer<float> probabilities_;  // empty unless `with_probabilities`; may exceed the items
  Index capacity_ = 0;
  std::optional<WeightsView> launched_;  // weights of the last rebuild on a stream
};

}  // namespace wrsgpu
