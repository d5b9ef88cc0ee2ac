// Weighted random sampling on the host; its twin on the GPU is in gpu_weighted_sampler.cuh.
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

/// Draws items i with probability w_i / W, with replacement, from an alias table of 8 bytes an
/// item.
///
/// Weights are rounded once, to integer masses in units of 2^-32 of the mean weight: an item of
/// exact mass m = w_i N 2^32 / W gets one within 5/2 + N / 2^27 + m / 2^35 of it
/// (wrsgpu/detail/masses/mass_tiles.hpp has the proof). All else is exact: the rows give each item
/// its mass, to the unit. An item that is too light for a unit is never drawn
/// (`count_too_light_items`), and one of weight zero never is.
///
/// A sampler without a table has size 0 and can be given one by `rebuild`; all else throws `Error`.
/// It is one that was made without weights or moved from, or whose last rebuild ran out of memory.
///
/// @note `const` members may be called by many threads at once, but not while another one rebuilds,
/// assigns or moves from the sampler.
/// @note After an `Error` for an argument everything is as it was before.
class WeightedSampler {
 public:
  /// Makes a sampler without a table, for weights that come later.
  ///
  /// @param options what is to be chosen; see there
  /// @note Allocates nothing.
  explicit WeightedSampler(const WeightedSamplerOptions& options);
  WeightedSampler() : WeightedSampler(WeightedSamplerOptions{}) {}

  /// Builds the table. The weights are not kept.
  ///
  /// @param weights in host memory, one per item: at least one, at most 2^32 - 2, in any unit
  /// @param options what is to be chosen; see there
  /// @throws Error for invalid weights: none or too many, one that is negative, infinite or no
  /// number (the first of them is named), only zeros, a sum that overflows, an integer that a
  /// double does not hold
  /// @throws OutOfMemory when there is no memory for the table
  explicit WeightedSampler(const AnyWeights& weights, const WeightedSamplerOptions& options = {});

  /// Reads a table: what `save` of either twin wrote, or another fixed-point table.
  ///
  /// @param file of `save_table`; see wrsgpu/detail/table/table_file.hpp
  /// @param options what is to be chosen; see there
  /// @throws Error for what `load_table` refuses, and for tables of floating-point arithmetic
  /// @throws OutOfMemory when there is no memory for the table
  [[nodiscard]] static WeightedSampler load(const std::filesystem::path& file,
                                            const WeightedSamplerOptions& options = {});

  /// The one that is moved from has no table then, and the options that it had.
  WeightedSampler(WeightedSampler&&) noexcept;
  WeightedSampler& operator=(WeightedSampler&&) noexcept;
  ~WeightedSampler();

  /// Number of items, 0 where there is no table.
  [[nodiscard]] Index size() const;

  /// Builds anew, from any number of weights.
  ///
  /// @param weights as the constructor's
  /// @throws Error as the constructor does; the table is the old one then
  /// @throws OutOfMemory when there is no memory for the table; there may be none then
  /// @note Allocates only when the memory of the tables before is too small.
  void rebuild(const AnyWeights& weights);

  /// Draws independent items. Draws of n samples whose offsets are n apart share no random word.
  ///
  /// @param out items, in host memory; nothing is done when it is empty
  /// @param state seed, and offset in the stream of random words, in samples
  /// @throws Error when there is no table
  /// @note Threads are started for more than 2^16 samples only.
  void draw(std::span<Index> out, RandomState state) const;

  /// Counts the samples that `draw` gives for the same arguments, of which none is stored.
  ///
  /// @param counts counts[i] becomes how often item i is among them; size() of them, in host memory
  /// @param samples how many; for 0 all counts become 0
  /// @param state as that of `draw`
  /// @throws Error for another number of counts, and when there is no table
  /// @note Allocates up to 4 MiB.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state) const;

  /// Writes the table to a file (wrsgpu/detail/table/table_file.hpp), which is complete or not
  /// there.
  ///
  /// @param file to be written, or replaced
  /// @throws Error when it cannot be written, and when there is no table
  void save(const std::filesystem::path& file) const;

  /// The rows, until the next rebuild: for those who check them.
  [[nodiscard]] const HostTable& table() const;

  /// To draw in a loop of one's own, until a rebuild of another number of weights.
  ///
  /// @throws Error when there is no table
  [[nodiscard]] SamplerView view() const;

  /// The same with probabilities.
  ///
  /// @throws Error when the options did not ask for them, and when there is no table
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  WeightedSamplerOptions options_;
  std::unique_ptr<detail::TiledSweepBuilder> builder_;  // none before the first rebuild
  HostTable table_;
  HostBuffer<float> probabilities_;  // none unless asked for; may be more than there are items
};

/// How many items of positive weight are too light for the fixed-point table of `weights`: they get
/// mass 0 there and are never drawn. wrsgpu/detail/masses/mass_tiles.hpp bounds how light they are.
///
/// @param weights in host memory, such as `summarise` accepts
/// @param threads host threads, 0 for all; the result does not depend on it
/// @throws Error for invalid weights
/// @throws OutOfMemory when there is no memory for 8 bytes an item
[[nodiscard]] Index count_too_light_items(const AnyWeights& weights, unsigned threads = 0);

}  // namespace wrsgpu
