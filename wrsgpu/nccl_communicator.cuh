// Ranks of a NCCL communicator. The library does not link NCCL: programs that include this header
// do (version 2.7 or newer).
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/side_stream.cuh"
#include "wrsgpu/error.hpp"
#include "wrsgpu/gpu_communicator.cuh"

namespace wrsgpu {

namespace detail {
/// Throws `CudaError` with NCCL's reason unless `status` is success.
inline void require_nccl(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  throw CudaError(std::string("NCCL: ") + call + " failed: " + ncclGetErrorString(status));
}
[[nodiscard]] inline unsigned rank_of(ncclComm_t communicator) {
  int rank = 0;
  require_nccl(ncclCommUserRank(communicator, &rank), "ncclCommUserRank");
  return static_cast<unsigned>(rank);
}
[[nodiscard]] inline unsigned ranks_of(ncclComm_t communicator) {
  int ranks = 0;
  require_nccl(ncclCommCount(communicator, &ranks), "ncclCommCount");
  return static_cast<unsigned>(ranks);
}
}  // namespace detail

/// Exchanges data of a `GpuShardedSampler` through the caller's blocking `ncclComm_t`.
///
/// @note The communicator's device must be current in every call. The exchange of samples is
/// asynchronous on its stream; `all_gather` waits for it, and for a copy of a few bytes of each
/// rank to and from the device.
class NcclCommunicator final : public GpuCommunicator {
 public:
  /// @param communicator the caller's, who destroys it after this object; no other thread may use
  /// it during collective calls of a sampler
  /// @throws CudaError where NCCL or CUDA fail
  /// @throws OutOfMemory
  explicit NcclCommunicator(ncclComm_t communicator)
      : GpuCommunicator(detail::rank_of(communicator), detail::ranks_of(communicator)),
        communicator_(communicator),
        bytes_(max_gathered_bytes * (ranks() + std::size_t{1})) {}

  void all_to_all(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                  std::span<std::uint64_t> receive, std::span<const std::uint64_t> receive_counts,
                  cudaStream_t stream) override {
    detail::require_nccl(ncclGroupStart(), "ncclGroupStart");
    const std::uint64_t* from = send.data();
    std::uint64_t* to = receive.data();
    ncclResult_t status = ncclSuccess;
    for (unsigned other = 0; other < ranks() && status == ncclSuccess; ++other) {
      const int peer = static_cast<int>(other);
      if (send_counts[other] > 0) {
        status = ncclSend(from, send_counts[other], ncclUint64, peer, communicator_, stream);
      }
      if (receive_counts[other] > 0 && status == ncclSuccess) {
        status = ncclRecv(to, receive_counts[other], ncclUint64, peer, communicator_, stream);
      }
      from += send_counts[other];
      to += receive_counts[other];
    }
    const ncclResult_t ended = ncclGroupEnd();
    detail::require_nccl(status, "ncclSend or ncclRecv");
    detail::require_nccl(ended, "ncclGroupEnd");
    stream_.follow(stream);
  }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::byte* const gathered = bytes_.data() + max_gathered_bytes;
    const cudaStream_t stream = stream_.get();
    WRSGPU_CUDA_CHECK(
        cudaMemcpyAsync(bytes_.data(), mine.data(), mine.size(), cudaMemcpyHostToDevice, stream));
    detail::require_nccl(
        ncclAllGather(bytes_.data(), gathered, mine.size(), ncclUint8, communicator_, stream),
        "ncclAllGather");
    WRSGPU_CUDA_CHECK(
        cudaMemcpyAsync(all.data(), gathered, all.size(), cudaMemcpyDeviceToHost, stream));
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  ncclComm_t communicator_;
  DeviceBuffer<std::byte> bytes_;  // of this rank, and of all
  SideStream stream_;              // follows the last exchange of samples
};

}  // namespace wrsgpu
