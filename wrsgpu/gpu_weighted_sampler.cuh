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
#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"
#include "wrsgpu/detail/masses/kept_weights.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/gpu_update_weights.cuh"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

class MergeBuilder;
class GpuSampler;

/// The GPU counterpart of `WeightedSampler`, with the table in device memory. Equal weights give
/// the same table as on the host, bit for bit, and in random order the same samples. The remarks on
/// rounding and on samplers without a table at `WeightedSampler` apply here, too.
///
/// A sampler is bound to the device that is current when its first table is built or loaded. That
/// device must be current in every later call.
///
/// @note `draw`, `histogram` and `rebuild` on a stream are asynchronous: they only launch work on
/// the stream, allocate only from the device's stream-ordered pool, and can be captured in a CUDA
/// graph. In Debug builds every launch synchronises. With `SampleOrder::any` a graph can contain
/// allocation nodes; CUDA allows only one executable instance of such a graph at a time.
/// @note Construction from weights, `load`, `rebuild` without a stream, `finish`, `to_host` and
/// `save` synchronise.
/// @note The caller is responsible for the order of work on different streams: a draw must not
/// overlap a rebuild.
class GpuWeightedSampler {
 public:
  /// Constructs a sampler without a table; `rebuild` builds one.
  ///
  /// @param options see `WeightedSamplerOptions`
  /// @note Requires no device; no allocation in device memory.
  explicit GpuWeightedSampler(const WeightedSamplerOptions& options);
  GpuWeightedSampler() : GpuWeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table. The weights need not outlive the call.
  ///
  /// @param weights one per item, in device memory (`WeightsView::on_device`) or in host memory,
  /// from which they are copied to the device for the duration of the call: 1 to 2^32 - 2 weights,
  /// not necessarily normalised
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for invalid weights, as `WeightedSampler` does, and without a GPU
  /// @throws OutOfMemory when the table does not fit in memory
  /// @note Synchronous.
  explicit GpuWeightedSampler(const AnyWeights& weights,
                              const WeightedSamplerOptions& options = {});

  /// Loads a table that `save` wrote on the host or the GPU, or any other fixed-point table.
  /// `capacity()` is then 0: `rebuild` on a stream requires a synchronous `rebuild` first.
  ///
  /// @param file a table file in the format of wrsgpu/detail/table/table_file.hpp
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error as `WeightedSampler::load` does, and without a GPU
  /// @throws OutOfMemory when the table does not fit in memory
  [[nodiscard]] static GpuWeightedSampler load(const std::filesystem::path& file,
                                               const WeightedSamplerOptions& options = {});

  /// The moved-from sampler has no table, and keeps its options.
  GpuWeightedSampler(GpuWeightedSampler&&) noexcept;
  GpuWeightedSampler& operator=(GpuWeightedSampler&&) noexcept;
  ~GpuWeightedSampler();

  /// Number of items; 0 without a table.
  [[nodiscard]] Index size() const;
  /// Maximum number of items for `rebuild` on a stream, for which memory is reserved, unless it was
  /// released.
  [[nodiscard]] Index capacity() const;

  /// Rebuilds the table from new weights, whose number may differ.
  ///
  /// @param weights as for the constructor
  /// @throws Error as the constructor does; the old table is kept
  /// @throws OutOfMemory when the table does not fit in memory; the sampler may then have no table
  /// @note Synchronises the device before and after the build.
  /// @note Reuses the memory of earlier tables if it is large enough; otherwise views, and graphs
  /// that captured this sampler, become invalid. Views also become invalid if the number of weights
  /// changes.
  void rebuild(const AnyWeights& weights);

  /// Rebuilds the table in stream order, replacing the old one. Later work on the stream uses the
  /// new table. So do views if the number of weights is unchanged; otherwise they become invalid.
  ///
  /// `finish` reports invalid weights. Until then, all items of such a table are equally likely.
  ///
  /// @param weights in device memory, 1 to `capacity()` weights; must not change before `finish`,
  /// or, with `keep_weights`, before the work has run
  /// @param stream the stream on which the work is launched
  /// @throws Error for too many weights, none, a view of host memory, or memory that the device
  /// cannot access
  /// @note Asynchronous; no allocation, but in the first call after `release_temporary_memory`.
  /// @note Capturing a rebuild in a graph changes `size()` as the rebuild itself does: no draw is
  /// allowed until the graph has run. Later rebuilds from the same number of weights leave the
  /// graph valid; the weights of the last rebuild must then stay in memory until `finish`. After a
  /// rebuild from a different number of weights the graph must not be launched: draws would return
  /// items out of range.
  void rebuild(WeightsView weights, cudaStream_t stream);

  /// Frees the temporary memory of builds, some 6 bytes per item. The next `rebuild` or `update`
  /// allocates it again, also during a capture, for `capacity()` items, and throws `OutOfMemory` if
  /// that fails; the table is then unchanged.
  ///
  /// @note Synchronises the device. Graphs that captured a rebuild or an update become invalid.
  void release_temporary_memory();

  /// The weights that the option `keep_weights` keeps, in device memory, for `GpuChooser` and
  /// others; see `WeightedSampler::weights`. Launched work may still be writing them.
  ///
  /// @throws Error without that option, and for a table from a file
  [[nodiscard]] WeightsView weights() const;

  /// Changes single weights, as `GpuWeightUpdater` does, and rebuilds the table, in stream order.
  /// `finish` reports invalid updates, which change no weights, and values with which all weights
  /// are zero or their sum overflows, which are as a `rebuild` from such weights.
  ///
  /// @param indices items, in any order, in device memory; must not change before `finish`
  /// @param values their new weights, in device memory, of the type of the kept weights; must not
  /// change before `finish`
  /// @param stream the stream on which the work is launched
  /// @throws Error as `GpuWeightUpdater::update` and `weights` do
  /// @note Asynchronous; allocates no more than `rebuild` on a stream, and can be captured in a
  /// CUDA graph as that.
  void update(std::span<const Index> indices, std::span<const float> values,
              cudaStream_t stream = nullptr);
  void update(std::span<const Index> indices, std::span<const double> values,
              cudaStream_t stream = nullptr);

  /// Synchronises `stream`, and reports the outcome of the last `rebuild` on it, or of the last
  /// replay of a graph that captured it.
  ///
  /// @param stream the stream of the rebuild or of the replay
  /// @throws Error for invalid weights, for a replay with a different number of weights than the
  /// last rebuild, and unless `is_pending(stream)`. In the first two cases the sampler has no table
  /// until the next rebuild.
  void finish(cudaStream_t stream);
  /// Whether there was a rebuild on a stream, or a replay of a graph that captured one, since the
  /// last synchronous rebuild.
  ///
  /// @param stream that of the replay
  /// @note Synchronises `stream` after a synchronous rebuild.
  [[nodiscard]] bool is_pending(cudaStream_t stream) const;

  /// Draws independent items; see `WeightedSampler::draw`.
  ///
  /// @param out the samples, in device memory; may be empty
  /// @param state seed, and offset into the stream of random words: one word per sample
  /// @param stream the stream on which the work is launched
  /// @throws Error if the device cannot access `out`, and without a table
  /// @throws OutOfMemory if the pool has no room for temporary memory: for many samples of a table
  /// that exceeds the cache, in random order 2 bytes an item, none during a capture
  /// @note Asynchronous.
  void draw(std::span<Index> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Draws 64-bit numbers in random order, whatever the options say: the samples of `draw` with
  /// `SampleOrder::random` for the same state.
  ///
  /// @throws Error, OutOfMemory as `draw` does
  /// @note Asynchronous.
  void draw(std::span<std::uint64_t> out, RandomState state, cudaStream_t stream = nullptr) const;

  /// Draws with a state in device memory, in random order, and then adds out.size() to its offset:
  /// successive calls draw what `draw` does with successive offsets. So do replays of a CUDA graph
  /// that captured calls, because the state is read when the work runs.
  ///
  /// @param out as for `draw`
  /// @param state in device memory, aligned to 8 bytes; no other work may use it meanwhile
  /// @param stream the stream on which the work is launched
  /// @throws Error if the device cannot access `out` or `state`, and without a table
  /// @note Asynchronous; no allocation.
  void draw_and_advance(std::span<Index> out, RandomState* state,
                        cudaStream_t stream = nullptr) const;
  void draw_and_advance(std::span<std::uint64_t> out, RandomState* state,
                        cudaStream_t stream = nullptr) const;

  /// Draws out.size() different items by the table alone; see `WeightedSampler::draw_distinct`.
  ///
  /// @param out the items, in device memory, in the order in which they first come: at most 4096
  /// @param state seed, and offset into the stream of random words
  /// @param used in device memory: set to the number of words used; to 0 where the host throws an
  /// error because its draws do not suffice, and `out` is then unchanged
  /// @param stream the stream on which the work is launched
  /// @throws Error for more elements than items or than 4096, for memory that the device cannot
  /// access, and without a table
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
  void draw_distinct(std::span<Index> out, RandomState state, std::uint64_t* used,
                     cudaStream_t stream = nullptr) const;
  /// The same with a state in device memory, to whose offset it adds `*used`.
  void draw_distinct_and_advance(std::span<Index> out, RandomState* state, std::uint64_t* used,
                                 cudaStream_t stream = nullptr) const;

  /// Counts the samples that `draw_and_advance` gives for the same state, and advances it likewise.
  ///
  /// @throws Error as `histogram` and `draw_and_advance` do
  /// @note Asynchronous; no allocation.
  void histogram_and_advance(std::span<std::uint64_t> counts, std::uint64_t samples,
                             RandomState* state, cudaStream_t stream = nullptr) const;

  /// Counts the samples that `draw` gives for the same arguments, without storing them.
  ///
  /// @param counts size() elements in device memory; counts[i] is set to the number of samples of
  /// item i
  /// @param samples number of samples; 0 sets all counts to 0
  /// @param state as for `draw`
  /// @param stream the stream on which the work is launched
  /// @throws Error if counts.size() != size() or the device cannot access `counts`, and without a
  /// table
  /// @note Asynchronous, like `draw`.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state,
                 cudaStream_t stream = nullptr) const;

  /// Computes the probability of each item in the table; see `ChoiceWithProbability`.
  ///
  /// @param out size() elements in device memory
  /// @param stream the stream on which the work is launched
  /// @throws Error if out.size() != size() or the device cannot access `out`, and without a table
  /// @note Asynchronous. Without the option `with_probabilities` it computes them from the rows,
  /// with 8 bytes per item from the device's stream-ordered pool.
  void probabilities(std::span<float> out, cudaStream_t stream = nullptr) const;

  /// Computes the probabilities of some items from the kept weights: those of `probabilities`,
  /// without a pass over all weights. Of thousands of items `probabilities` is faster.
  ///
  /// @param items in device memory; below size()
  /// @param out items.size() elements in device memory
  /// @param stream the stream on which the work is launched
  /// @throws Error if the sizes differ or the device cannot access the memory, without a table, and
  /// without the option `keep_weights`
  /// @note Asynchronous; no allocation. Can be captured in a CUDA graph. Reads 2,048 weights for
  /// each item.
  void probabilities_of(std::span<const Index> items, std::span<float> out,
                        cudaStream_t stream = nullptr) const;
  void probabilities_of(std::span<const std::uint64_t> items, std::span<float> out,
                        cudaStream_t stream = nullptr) const;

  /// Copies the rows to the host, for verification.
  ///
  /// @throws Error without a table, and if the last rebuild still requires `finish`
  /// @note Synchronises the device.
  [[nodiscard]] HostTable to_host() const;

  /// Writes the table to a file that is identical, byte for byte, to that of the host.
  ///
  /// @param file path of the file, which is replaced if it exists
  /// @throws Error if the file cannot be written, without a table, and if the last rebuild still
  /// requires `finish`
  /// @note Synchronises the device.
  void save(const std::filesystem::path& file) const;

  /// Returns a view for drawing in the caller's own kernels; see `SamplerView` for its lifetime.
  ///
  /// @throws Error without a table
  [[nodiscard]] SamplerView view() const;

  /// Returns a view that also provides the probabilities of the items.
  ///
  /// @throws Error unless `with_probabilities` was set in the options, and without a table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  friend class GpuShardedSampler;
  /// Draws `first` + the samples of `draw` to 64-bit numbers.
  void draw_from(std::uint64_t first, std::span<std::uint64_t> out, RandomState state,
                 cudaStream_t stream) const;
  /// The owner of the rows. Throws `Error` if there is none or another device is current.
  [[nodiscard]] MergeBuilder& checked_table() const;
  /// Draws with the state in device memory; `numbers` is of the type of samples.
  template <class Number>
  void draw_numbers(std::span<Number> numbers, RandomState* state, cudaStream_t stream) const;
  /// The owner of the rows, created for the current device if there is none.
  [[nodiscard]] MergeBuilder& table_or_create();

  void draw_distinct_from(const random::RandomSource& source, std::span<Index> out,
                          RandomState* advanced, std::uint64_t* used, cudaStream_t stream) const;

  template <class Number>
  void write_probabilities_of_some(std::span<const Number> items, std::span<float> out,
                                   cudaStream_t stream) const;

  template <class T>
  void update_kept(std::span<const Index> indices, std::span<const T> values, cudaStream_t stream);
  void copy_to_kept(WeightsView weights, cudaStream_t stream);
  /// Keeps a copy of weights in device memory, and reserves what `update` needs.
  void keep(WeightsView weights);

  WeightedSamplerOptions options_;
  int device_ = 0;
  std::unique_ptr<MergeBuilder> table_;  // null before the first rebuild
  std::unique_ptr<GpuSampler> sampler_;  // null without a table
  DeviceBuffer<float> probabilities_;    // empty unless `with_probabilities`; may exceed the items
  Index capacity_ = 0;
  std::optional<WeightsView> pending_weights_;  // weights of the last rebuild on a stream
  bool is_built_ = false;                       // whether the last rebuild was a synchronous one
  detail::KeptWeights<DeviceBuffer, Device::cuda> kept_;
  DeviceBuffer<MassTile> tiles_;  // empty unless `keep_weights`; may exceed those of the items
  DeviceBuffer<KeptTilesKind> tiles_kind_;
  std::optional<GpuWeightUpdater> updater_;  // of the kept weights; for capacity() of them
  bool has_updated_ = false;                 // whether the last rebuild on a stream was an update
};

/// Draws as `GpuWeightedSampler::draw_and_advance` does with Philox4x32-10, from a table of which
/// there is only a view, such as a copy of its rows.
///
/// @param table a view of rows in device memory
/// @param out, state, stream as for the member function
/// @throws Error if the device cannot access `table`, `out` or `state`
/// @note Asynchronous; no allocation.
void draw_and_advance(const SamplerView& table, std::span<std::uint64_t> out, RandomState* state,
                      cudaStream_t stream = nullptr);

}  // namespace wrsgpu
