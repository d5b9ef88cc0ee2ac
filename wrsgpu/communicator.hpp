// How the ranks of a sharded sampler exchange data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace wrsgpu {

/// One rank's end of a group of processes or threads, each of which has a shard of the weights. The
/// library moves no data between ranks itself: derived classes call the engine that the user has,
/// such as MPI, NCCL (wrsgpu/nccl_communicator.cuh) or `torch.distributed`.
///
/// The members that communicate are collective: every rank calls them, in the same order. What a
/// derived class throws in them passes through the sampler's member, on that rank alone: if an
/// engine fails on one rank, it is the engine that has to end the others' calls.
class Communicator {
 public:
  /// The largest number of bytes of a rank that `all_gather` takes.
  static constexpr std::size_t max_gathered_bytes = 256;

  /// @param rank from 0 to ranks - 1
  /// @param ranks at least 1
  /// @throws Error for other numbers
  /// @throws OutOfMemory
  /// @note Allocates the memory of `all_gather`, which therefore cannot run out of it.
  Communicator(unsigned rank, unsigned ranks);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned ranks() const { return ranks_; }

  /// Returns the bytes of all ranks, in order of ranks, in memory that the next call overwrites.
  ///
  /// @param mine this rank's bytes, of the same number on all ranks: 1 to `max_gathered_bytes`
  [[nodiscard]] std::span<const std::byte> all_gather(std::span<const std::byte> mine);

 private:
  /// @param mine this rank's bytes, in host memory
  /// @param all gets the bytes of all ranks, in order of ranks, in host memory
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  unsigned rank_;
  unsigned ranks_;
  std::vector<std::byte> gathered_;
};

/// Takes the place of a collective call of a sharded sampler (construction or `draw_scattered`; of
/// `rebuild`, its member `fail_rebuild` does) on a rank that cannot make it, such as one that could
/// not read its weights: all ranks throw, with the message of `reason`.
///
/// @param communicator the ranks that make it
/// @param reason what prevents the call; not null
/// @throws Error with the number of the rank in the message; what it was, if it is no `Error`
[[noreturn]] void fail_on_all_ranks(Communicator& communicator, const std::exception_ptr& reason);

/// The ranks of a `ShardedSampler`, which exchange samples in host memory.
class HostCommunicator : public Communicator {
 public:
  using Communicator::Communicator;

  /// Sends numbers to each rank and receives numbers from each.
  ///
  /// @param send the numbers for rank 0, for rank 1, ...
  /// @param send_counts how many are for each rank
  /// @param receive gets the numbers from rank 0, from rank 1, ...
  /// @param receive_counts how many are from each rank: what that rank sends
  virtual void all_to_all(std::span<const std::uint64_t> send,
                          std::span<const std::uint64_t> send_counts,
                          std::span<std::uint64_t> receive,
                          std::span<const std::uint64_t> receive_counts) = 0;
};

}  // namespace wrsgpu
