// Weighted random sampling on the host; gpu_weighted_sampler.cuh is the GPU counterpart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

namespace detail {
class TiledSweepBuilder;
}

/// Draws item i with probability w_i / W, with replacement, from an alias table of 8 bytes per
/// item.
///
/// Weights are rounded once, to integer masses in units of 2^-32 of the mean weight: an item of
/// exact mass m = w_i N 2^32 / W gets one within 5/2 + N / 2^27 + m / 2^35 of it
/// (wrsgpu/detail/masses/mass_tiles.hpp has the proof). All else is exact: the rows give each item
/// its mass, to the unit. An item too light for one unit is never drawn (`count_too_light_items`),
/// nor is an item of weight zero.
///
/// A sampler has no table when it was made without weights, was moved from, or ran out of memory in
/// its last rebuild. Its size is then 0, `rebuild` gives it a table, and all else throws `Error`.
///
/// @note Threads may call `const` members concurrently, but not while another thread rebuilds,
/// assigns or moves from the sampler.
/// @note An `Error` for an argument leaves the sampler unchanged.
class WeightedSampler {
 public:
  /// Makes a sampler without a table; `rebuild` supplies the weights.
  ///
  /// @param options see `WeightedSamplerOptions`
  /// @note Allocates nothing.
  explicit WeightedSampler(const WeightedSamplerOptions& options);
  WeightedSampler() : WeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table. The weights are not kept.
  ///
  /// @param weights in host memory, one per item: at least one, at most 2^32 - 2, in any unit
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for invalid weights: none or too many, a negative, infinite or NaN weight (the
  /// message names the first), only zeros, a sum that overflows, an integer that a double does not
  /// represent exactly
  /// @throws OutOfMemory when the table does not fit in memory
  explicit WeightedSampler(const AnyWeights& weights, const WeightedSamplerOptions& options = {});

  /// Reads a table that `save` wrote on the host or the GPU, or another fixed-point table.
  ///
  /// @param file as `save_table` writes it; see wrsgpu/detail/table/table_file.hpp
  /// @param options see `WeightedSamplerOptions`
  /// @throws Error for files that `load_table` rejects, and for tables of floating-point arithmetic
  /// @throws OutOfMemory when the table does not fit in memory
  [[nodiscard]] static WeightedSampler load(const std::filesystem::path& file,
                                            const WeightedSamplerOptions& options = {});

  /// The moved-from sampler has no table, and keeps its options.
  WeightedSampler(WeightedSampler&&) noexcept;
  WeightedSampler& operator=(WeightedSampler&&) noexcept;
  ~WeightedSampler();

  /// Number of items; 0 without a table.
  [[nodiscard]] Index size() const;

  /// Rebuilds the table from any number of weights.
  ///
  /// @param weights as for the constructor
  /// @throws Error as the constructor does; the old table then remains
  /// @throws OutOfMemory when the table does not fit in memory; the sampler may then have no table
  /// @note Allocates only when the memory of earlier tables is too small.
  void rebuild(const AnyWeights& weights);

  /// Draws independent items. Draws of n samples whose offsets are n apart share no random word.
  ///
  /// @param out the samples, in host memory; may be empty
  /// @param state seed, and offset in the stream of random words, in samples
  /// @throws Error without a table
  /// @note Starts threads for more than 2^16 samples only.
  void draw(std::span<Index> out, RandomState state) const;

  /// Counts the samples that `draw` gives for the same arguments, without storing them.
  ///
  /// @param counts size() elements in host memory; counts[i] becomes the number of samples that are
  /// item i
  /// @param samples number of samples; 0 sets all counts to 0
  /// @param state as for `draw`
  /// @throws Error when counts.size() != size(), and without a table
  /// @note Allocates up to 4 MiB.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state) const;

  /// Writes the table to a file (wrsgpu/detail/table/table_file.hpp) atomically: the file is
  /// complete or absent.
  ///
  /// @param file to be written, or replaced
  /// @throws Error when the file cannot be written, and without a table
  void save(const std::filesystem::path& file) const;

  /// The rows, for verification. The reference is valid until the next rebuild.
  [[nodiscard]] const HostTable& table() const;

  /// A view for drawing in the caller's own loop. A rebuild from another number of weights
  /// invalidates it.
  ///
  /// @throws Error without a table
  [[nodiscard]] SamplerView view() const;

  /// A view that also gives the items' probabilities.
  ///
  /// @throws Error unless the options have `with_probabilities`, and without a table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  WeightedSamplerOptions options_;
  std::unique_ptr<detail::TiledSweepBuilder> builder_;  // null before the first rebuild
  HostTable table_;
  HostBuffer<float> probabilities_;  // empty unless `with_probabilities`; may exceed the items
};

/// Returns the number of items of positive weight that are too light for the fixed-point table of
/// `weights`: they get mass 0 there and are never drawn. wrsgpu/detail/masses/mass_tiles.hpp bounds
/// their weights.
///
/// @param weights in host memory, as `summarise` accepts them
/// @param threads host threads, 0 for all hardware threads; the result does not depend on it
/// @throws Error for invalid weights
/// @throws OutOfMemory when 8 bytes per item do not fit in memory
[[nodiscard]] Index count_too_light_items(const AnyWeights& weights, unsigned threads = 0);

}  // namespace wrsgpu
