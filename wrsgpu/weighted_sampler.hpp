// Weighted random sampling on the host; its twin on the GPU is in gpu_weighted_sampler.cuh.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

namespace detail {
class SectionedSweepBuilder;
}

/// Draws items i with probability w_i / W, with replacement, from an exact alias table of 8 bytes
/// an item (fixed-point arithmetic: wrsgpu/detail/masses/mass_tiles.hpp bounds how far a
/// probability is off).
///
/// There is a table from construction on. `const` members may be called by many threads at once.
/// Errors are `Error`s; after one in an argument everything is as it was before. A sampler that was
/// moved from can only be assigned to or destroyed; all else throws `Error`.
class WeightedSampler {
 public:
  /// Builds from weights in host memory. They are not kept. Throws `Error` for weights that make no
  /// sense (`summarise` says which), and `OutOfMemory`.
  explicit WeightedSampler(WeightsView weights, const WeightedSamplerOptions& options = {});

  /// Reads what `save` of either twin wrote, or another fixed-point table. Throws `Error` for what
  /// `load_table` refuses, and for tables of floating-point arithmetic.
  [[nodiscard]] static WeightedSampler load(const std::filesystem::path& file,
                                            const WeightedSamplerOptions& options = {});

  WeightedSampler(WeightedSampler&&) noexcept;
  WeightedSampler& operator=(WeightedSampler&&) noexcept;
  ~WeightedSampler();

  /// Number of items.
  [[nodiscard]] Index size() const;

  /// Builds anew, from any number of weights; the table's memory is kept when it is large enough.
  /// Throws what the constructor throws; after `OutOfMemory` there may be no table until the next
  /// rebuild, and all else throws `Error`. Not while another thread draws.
  void rebuild(WeightsView weights);

  /// Fills `out` with independent items. Draws of n samples whose offsets are n apart share no
  /// random word. Throws `Error` when `out` is empty.
  void draw(std::span<Index> out, RandomState state) const;

  /// Writes to counts[i] how often item i is among the samples that `draw` gives, of which none is
  /// stored. Throws `Error` unless there are size() counts and at least one sample.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state) const;

  /// Writes the table to a file (wrsgpu/detail/table/table_file.hpp), which is complete or not
  /// there.
  void save(const std::filesystem::path& file) const;

  /// The rows, until the next rebuild: for those who check them.
  [[nodiscard]] const HostTable& table() const;

  /// To draw word by word, until a rebuild of another number of weights.
  [[nodiscard]] SamplerView view() const;
  /// Throws `Error` when the options did not ask for probabilities.
  [[nodiscard]] SamplerViewWithProbabilities view_with_probabilities() const;

 private:
  explicit WeightedSampler(const WeightedSamplerOptions& options);

  WeightedSamplerOptions options_;
  std::unique_ptr<detail::SectionedSweepBuilder> builder_;  // none after a move
  HostTable table_;
  HostBuffer<float> probabilities_;  // none unless asked for; may be more than there are items
};

}  // namespace wrsgpu
