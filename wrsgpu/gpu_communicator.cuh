// How the ranks of a sharded sampler on GPUs exchange data.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "wrsgpu/communicator.hpp"

namespace wrsgpu {

/// The ranks of a `GpuShardedSampler`, which exchange samples in device memory.
class GpuCommunicator : public Communicator {
 public:
  using Communicator::Communicator;

  /// Sends numbers to each rank and receives numbers from each.
  ///
  /// @param send the numbers for rank 0, for rank 1, ..., in device memory
  /// @param send_counts how many are for each rank, in host memory
  /// @param receive gets the numbers from rank 0, from rank 1, ..., in device memory
  /// @param receive_counts how many are from each rank, in host memory: what that rank sends
  /// @param stream the exchange follows earlier work on it, and later work the exchange
  virtual void all_to_all(std::span<const std::uint64_t> send,
                          std::span<const std::uint64_t> send_counts,
                          std::span<std::uint64_t> receive,
                          std::span<const std::uint64_t> receive_counts, cudaStream_t stream) = 0;
};

}  // namespace wrsgpu
