// Weighted random sampling on the host; gpu_weighted_sampler.cuh is the GPU counterpart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/masses/kept_weights.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

namespace detail {
class TiledSweepBuilder;
}

/// Draws samples with replacement: item i of N with probability w_i / W, where W is the sum of all
/// weights. Uses an alias table of 8 bytes per item.
///
/// Weights are rounded once, to integer masses in units of 2^-32 of the mean weight. The mass of an
/// item differs from the exact m = w_i N 2^32 / W by less than 5/2 + N / 2^27 + m / 2^35
/// (docs/exact_masses.md has the proof). Everything else is exact: the rows of the
/// table give each item precisely its mass. An item whose mass is rounded to zero is never drawn
/// (see `count_zero_mass_items`), nor is an item of weight zero.
///
/// A sampler has no table if it was constructed without weights, was moved from, or ran out of
/// memory in its last rebuild. Its size is then 0, and members that need a table throw `Error`
/// until the next `rebuild`.
///
/// @note Thread safety: `const` members may be called concurrently, but not while another thread
/// rebuilds, assigns or moves from the sampler.
/// @note An `Error` for an invalid argument leaves the sampler unchanged.
class WeightedSampler {
 public:
  /// Constructs a sampler without a table; `rebuild` builds one.
  ///
  /// @param options see `WeightedSamplerOptions`
  /// @note No allocation.
  explicit WeightedSampler(const WeightedSamplerOptions& options);
  WeightedSampler() : WeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table. The weights need not outlive the call.
  ///
  /// @param weights one per item, in host memory: 1 to 2^32 - 2 weights, not necessarily normalised
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for invalid weights: none or too many, a negative, infinite or NaN weight (the
  /// message gives the first), only zeros, a sum that overflows, or an integer that a double cannot
  /// represent exactly
  /// @throws OutOfMemory when the table does not fit in memory
  explicit WeightedSampler(const AnyWeights& weights, const WeightedSamplerOptions& options = {});

  /// Loads a table that `save` wrote on the host or the GPU, or any other fixed-point table.
  ///
  /// @param file a table file in the format of wrsgpu/detail/table/table_file.hpp
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for a file that cannot be read, is not a table file, has a later version, is
  /// incomplete or damaged, and for a floating-point table
  /// @throws OutOfMemory when the table does not fit in memory
  [[nodiscard]] static WeightedSampler load(const std::filesystem::path& file,
                                            const WeightedSamplerOptions& options = {});

  /// The moved-from sampler has no table, and keeps its options.
  WeightedSampler(WeightedSampler&&) noexcept;
  WeightedSampler& operator=(WeightedSampler&&) noexcept;
  ~WeightedSampler();

  /// Number of items; 0 without a table.
  [[nodiscard]] Index size() const;

  /// Rebuilds the table from new weights, whose number may differ.
  ///
  /// @param weights as for the constructor
  /// @throws Error as the constructor does; the old table is kept
  /// @throws OutOfMemory when the table does not fit in memory; the sampler may then have no table
  /// @note Allocates only if the memory of earlier tables is too small.
  void rebuild(const AnyWeights& weights);

  /// The weights that the option `keep_weights` keeps, for `choose` and others. The view is valid
  /// until the next rebuild.
  ///
  /// @throws Error without that option, and for a table from a file
  [[nodiscard]] WeightsView weights() const;

  /// Changes single weights, as `update_weights` does, and rebuilds the table.
  ///
  /// @param indices items, in any order
  /// @param values their new weights, of the type of the kept weights
  /// @throws Error as `update_weights`, `weights` and `rebuild` do; weights and table are unchanged
  void update(std::span<const Index> indices, std::span<const float> values);
  void update(std::span<const Index> indices, std::span<const double> values);

  /// Draws independent samples. Draws with disjoint ranges [offset, offset + out.size()) of a
  /// stream share no random words.
  ///
  /// @param out the samples, in host memory; may be empty
  /// @param state seed, and offset into the stream of random words: one word per sample
  /// @throws Error without a table
  /// @note Single-threaded for up to 2^16 samples.
  void draw(std::span<Index> out, RandomState state) const;

  /// Draws the samples of the overload for `Index`, as 64-bit numbers.
  void draw(std::span<std::uint64_t> out, RandomState state) const;

  /// Draws out.size() different items by the table alone: those of `draw` in random order, without
  /// the ones that came before. The law is that of `choose` for the masses of the table, but the
  /// items of a seed differ. For few items; with the weights at hand, `choose` takes one pass.
  ///
  /// @param out the items, in host memory, in the order in which they first come
  /// @param state seed, and offset into the stream of random words
  /// @returns the number of words that were used
  /// @throws Error without a table, for more elements than items, and if 1024 (out.size() + 1024)
  /// draws are not enough, as when few items have nearly all of the weight; `out` is then unchanged
  std::uint64_t draw_distinct(std::span<Index> out, RandomState state) const;

  /// Counts the samples that `draw` gives for the same arguments, without storing them.
  ///
  /// @param counts size() elements in host memory; counts[i] is set to the number of samples of
  /// item i
  /// @param samples number of samples; 0 sets all counts to 0
  /// @param state as for `draw`
  /// @throws Error if counts.size() != size(), and without a table
  /// @note Allocates up to 4 MiB.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state) const;

  /// Computes the probability of each item in the table; see `ChoiceWithProbability`.
  ///
  /// @param out size() elements in host memory
  /// @throws Error if out.size() != size(), and without a table
  /// @throws OutOfMemory when the temporary memory cannot be allocated
  /// @note Copies the probabilities that the option `with_probabilities` stores; without it,
  /// computes them from the rows in one thread and allocates 8 bytes per item.
  void probabilities(std::span<float> out) const;

  /// Writes the table to a file (wrsgpu/detail/table/table_file.hpp) atomically: the file is
  /// complete or absent.
  ///
  /// @param file path of the file, which is replaced if it exists
  /// @throws Error if the file cannot be written, and without a table
  void save(const std::filesystem::path& file) const;

  /// The rows, for verification. The reference is valid until the next rebuild.
  [[nodiscard]] const HostTable& table() const;

  /// Returns a view for drawing in the caller's own loops. A rebuild from a different number of
  /// weights invalidates it.
  ///
  /// @throws Error without a table
  [[nodiscard]] SamplerView view() const;

  /// Returns a view that also provides the probabilities of the items.
  ///
  /// @throws Error unless `with_probabilities` was set in the options, and without a table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  friend class ShardedSampler;
  /// Draws `first` + the samples of the public overload.
  void draw_from(std::uint64_t first, std::span<std::uint64_t> out, RandomState state) const;

  WeightedSamplerOptions options_;
  std::unique_ptr<detail::TiledSweepBuilder> builder_;  // null before the first rebuild
  HostTable table_;
  template <class T>
  void update_kept(std::span<const Index> indices, std::span<const T> values);

  detail::KeptWeights<HostBuffer, Device::cpu> kept_;
  HostBuffer<float> probabilities_;  // empty unless `with_probabilities`; size() or more elements
};

/// Returns the number of items of positive weight whose mass is rounded to 0 in the fixed-point
/// table of `weights`, so that they are never drawn. docs/exact_masses.md bounds their
/// weights.
///
/// @param weights in host memory, as for the constructor of `WeightedSampler`
/// @param threads host threads, 0 for all hardware threads; the result does not depend on it
/// @throws Error for invalid weights
[[nodiscard]] Index count_zero_mass_items(const AnyWeights& weights, unsigned threads = 0);

}  // namespace wrsgpu
