// Weighted random sampling where each of several GPUs has a shard of the weights;
// sharded_sampler.hpp is the host counterpart.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/side_stream.cuh"
#include "wrsgpu/detail/sharding/shards.hpp"
#include "wrsgpu/gpu_communicator.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// The GPU counterpart of `ShardedSampler`, with the table of a rank's shard in the memory of its
/// device. Equal weights give the same masses and samples as on the host. What is said at
/// `ShardedSampler` of masses, of collective members and of failures applies here, too; failures of
/// work that the device runs later are known to its rank alone.
///
/// A sampler is bound to the device that is current when it is constructed, which must be current
/// in every later call.
///
/// @note Samples are drawn in random order, whatever the options say.
class GpuShardedSampler {
 public:
  /// Builds the tables. Collective. The weights need not outlive the call.
  ///
  /// @param shard the weights of this rank, in device memory (`WeightsView::on_device`) or in host
  /// memory, from which they are copied for the duration of the call: up to 2^32 - 2, also none
  /// @param communicator must outlive the sampler
  /// @param options see `WeightedSamplerOptions`; the generator must be the same on all ranks
  /// @throws Error, OutOfMemory on all ranks, as `ShardedSampler` does, and without a GPU
  /// @note Synchronous. Frees the temporary memory of the build, which the first `rebuild`
  /// allocates again and keeps.
  GpuShardedSampler(WeightsView shard, GpuCommunicator& communicator,
                    const WeightedSamplerOptions& options = {});

  /// Rebuilds the tables from new weights, whose numbers may differ. Collective.
  ///
  /// @param shard as for the constructor
  /// @throws Error, OutOfMemory on all ranks, as the constructor does; no rank has a table then,
  /// and members that draw throw `Error` until the next `rebuild`
  /// @note Synchronous; allocates as `GpuWeightedSampler::rebuild` does.
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

  /// Counts the samples of each shard in a draw by all ranks, on the host. Not collective.
  ///
  /// @param counts as many elements as ranks, in host memory
  /// @param samples number of samples of all ranks together
  /// @param state seed and offset
  /// @throws Error if `counts` has another number of elements
  void shard_histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                       RandomState state) const;

  /// The number of samples that `draw_local` writes on this rank. Not collective.
  [[nodiscard]] std::uint64_t count_local(std::uint64_t samples, RandomState state) const;

  /// Draws independent samples, of which each rank gets those that are in its shard. Not
  /// collective.
  ///
  /// @param out at least `count_local` elements in device memory
  /// @param samples number of samples of all ranks together
  /// @param state seed and offset, the same on all ranks
  /// @param stream the stream on which the work is launched
  /// @returns the number of elements written
  /// @throws Error if `out` is too small or the device cannot access it
  /// @throws OutOfMemory as `GpuWeightedSampler::draw` does
  /// @note Asynchronous.
  std::uint64_t draw_local(std::span<std::uint64_t> out, std::uint64_t samples, RandomState state,
                           cudaStream_t stream = nullptr) const;

  /// Counts the samples that `draw_local` gives, without storing them.
  ///
  /// @param counts shard_size() elements in device memory: the samples of each item of this rank
  /// @param samples number of samples of all ranks together
  /// @param state as for `draw_local`
  /// @param stream the stream on which the work is launched
  /// @throws Error if counts.size() != shard_size() or the device cannot access `counts`
  /// @note Asynchronous.
  void histogram(std::span<std::uint64_t> counts, std::uint64_t samples, RandomState state,
                 cudaStream_t stream = nullptr) const;

  /// Draws independent samples of the distribution of all weights on each rank, in random order.
  /// Collective: ranks draw from their shards and exchange samples. Uses [offset, offset + ranks *
  /// out.size()) of the stream.
  ///
  /// @param out the samples, in device memory: the same number on all ranks, at most 2^40; may be
  /// empty
  /// @param state seed and offset, the same on all ranks
  /// @param stream the stream on which the work is launched; the caller orders draws on different
  /// streams
  /// @throws Error on all ranks if `state` or the number of samples differ, or if the device of a
  /// rank cannot access `out`
  /// @throws OutOfMemory on all ranks if memory of one does not suffice
  /// @note Temporary memory: some 8 bytes for each sample of this rank's shard and each of `out`.
  /// It is kept for the next draw. The host waits until all ranks have come to the exchange;
  /// samples are drawn, exchanged and shuffled asynchronously. The
  /// exchange is on a stream of the sampler, while the rank draws its own samples.
  void draw_scattered(std::span<std::uint64_t> out, RandomState state,
                      cudaStream_t stream = nullptr);

 private:
  [[nodiscard]] unsigned rank() const { return communicator_->rank(); }

  GpuCommunicator* communicator_;
  GpuWeightedSampler sampler_;  // of other weights, or none, if the shard has no positive weight
  detail::Shards shards_;
  DeviceBuffer<std::uint64_t> sent_;      // of draw_scattered
  DeviceBuffer<std::uint64_t> received_;  // likewise
  std::unique_ptr<SideStream> exchange_;  // likewise: samples are sent while it draws its own
};

}  // namespace wrsgpu
