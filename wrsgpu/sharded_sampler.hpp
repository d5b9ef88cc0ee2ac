// Weighted random sampling where each of several processes or threads has a shard of the weights;
// gpu_sharded_sampler.cuh is the GPU counterpart.
#pragma once

#include <cstdint>
#include <exception>
#include <span>

#include "wrsgpu/communicator.hpp"
#include "wrsgpu/detail/sharding/shards.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/weighted_sampler.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Draws samples with replacement from weights that are spread over the ranks of a communicator.
/// Weights stay where they are: each rank builds the table of its shard, as `WeightedSampler` does,
/// and the ranks exchange 32 bytes each.
///
/// Items have 64-bit numbers: those of rank 0, then those of rank 1, and so on. Item i of shard s
/// is drawn with probability (Q_s / sum of all Q) * (q_i / sum of all q of the shard). Masses q are
/// those of `WeightedSampler`; the integers Q differ from the shards' weights by less than 2^-60 of
/// all and 2^-38 of their own (wrsgpu/detail/sharding/shards.hpp). Numbers of samples of shards are
/// binomial deviates, exact up to the rounding that wrsgpu/detail/random/binomial_btrs.hpp states;
/// all ranks compute the same ones without communication, on any host.
///
/// Samples depend on the state, the weights and the sizes of the shards alone. Those of a GPU are
/// the same (`GpuShardedSampler`).
///
/// Members that communicate are collective: all ranks call them, in the same order. What fails on a
/// rank before data is exchanged (invalid weights, memory) is known to all: all throw, with the
/// number of the rank in the message, and none waits for another.
///
/// @note Thread safety: `const` members that are not collective may be called concurrently.
/// @note A moved-from sampler can only be assigned to or destroyed.
class ShardedSampler {
 public:
  /// Builds the tables. Collective. The weights need not outlive the call.
  ///
  /// @param shard the weights of this rank, in host memory: up to 2^32 - 2, also none, not
  /// necessarily normalised
  /// @param communicator must outlive the sampler
  /// @param options see `WeightedSamplerOptions`; the generator must be the same on all ranks
  /// @throws Error on all ranks for invalid weights of a rank, as `WeightedSampler` does; but a
  /// rank may have no positive weight if another has
  /// @throws OutOfMemory on all ranks when the table of a rank does not fit in memory
  ShardedSampler(WeightsView shard, HostCommunicator& communicator,
                 const WeightedSamplerOptions& options = {});

  /// Rebuilds the tables from new weights, whose numbers may differ. Collective.
  ///
  /// @param shard as for the constructor
  /// @throws Error, OutOfMemory on all ranks, as the constructor does; no rank has a table then,
  /// and members that draw throw `Error` until the next `rebuild`
  void rebuild(WeightsView shard);

  /// Takes the place of `rebuild` on a rank that cannot call it, as `fail_on_all_ranks` does. No
  /// rank has a table then.
  ///
  /// @param reason what prevents the call; not null
  /// @throws Error with the number of the rank in the message; what it was, if it is no `Error`
  [[noreturn]] void fail_rebuild(const std::exception_ptr& reason);

  /// Number of items of all ranks.
  [[nodiscard]] std::uint64_t size() const { return shards_.first_item(shards_.ranks()); }
  /// Number of the first item of this rank.
  [[nodiscard]] std::uint64_t first_item() const { return shards_.first_item(rank()); }
  /// Number of items of this rank.
  [[nodiscard]] Index shard_size() const { return shards_.items(rank()); }
  /// The integer mass Q of a rank's shard.
  [[nodiscard]] std::uint64_t shard_mass(unsigned rank) const { return shards_.mass(rank); }

  /// Counts the samples of each shard in a draw by all ranks. Not collective.
  ///
  /// @param counts as many elements as ranks
  /// @param samples number of samples of all ranks together
  /// @param state seed and offset
  /// @throws Error if `counts` has another number of elements
  void shard_histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                       RandomState state) const;

  /// The number of samples that `draw_local` writes on this rank. Not collective.
  [[nodiscard]] std::uint64_t count_local(std::uint64_t samples, RandomState state) const;

  /// Draws independent samples, of which each rank gets those that are in its shard: together, the
  /// ranks have `samples` of the distribution of all weights. Not collective; draws with disjoint
  /// ranges [offset, offset + samples) share no random words.
  ///
  /// @param out at least `count_local` elements in host memory
  /// @param samples number of samples of all ranks together
  /// @param state seed and offset, the same on all ranks
  /// @returns the number of elements written
  /// @throws Error if `out` is too small; nothing is written then
  std::uint64_t draw_local(std::span<std::uint64_t> out, std::uint64_t samples,
                           RandomState state) const;

  /// Counts the samples that `draw_local` gives, without storing them.
  ///
  /// @param counts shard_size() elements in host memory: the samples of each item of this rank
  /// @param samples number of samples of all ranks together
  /// @param state as for `draw_local`
  /// @throws Error if counts.size() != shard_size()
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state) const;

  /// Draws independent samples of the distribution of all weights on each rank, in random order.
  /// Collective: ranks draw from their shards and exchange samples. Uses [offset, offset + ranks *
  /// out.size()) of the stream.
  ///
  /// @param out the samples, in host memory: the same number on all ranks, at most 2^40; may be
  /// empty
  /// @param state seed and offset, the same on all ranks
  /// @throws Error on all ranks if `state` or the number of samples differ
  /// @throws OutOfMemory on all ranks if memory of one does not suffice
  /// @note Temporary memory: 8 bytes for each sample of this rank's shard and each sample of `out`.
  /// If the communicator throws, `out` is unchanged.
  void draw_scattered(std::span<std::uint64_t> out, RandomState state) const;

 private:
  [[nodiscard]] unsigned rank() const { return communicator_->rank(); }

  HostCommunicator* communicator_;
  WeightedSampler sampler_;  // of other weights, or none, if the shard has no positive weight
  detail::Shards shards_;
};

}  // namespace wrsgpu
