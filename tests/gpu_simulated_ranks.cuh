// Simulated ranks that share one GPU: samples are exchanged in host memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/gpu_communicator.cuh"
#include "wrsgpu/simulated_ranks.hpp"

namespace wrsgpu {

class SimulatedGpuRank final : public GpuCommunicator {
 public:
  explicit SimulatedGpuRank(HostCommunicator& host)
      : GpuCommunicator(host.rank(), host.ranks()), host_(host) {}

  void all_to_all(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                  std::span<std::uint64_t> receive, std::span<const std::uint64_t> receive_counts,
                  cudaStream_t stream) override {
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    std::vector<std::uint64_t> sent(send.size());
    std::vector<std::uint64_t> received(receive.size());
    copy_to_host(send.data(), std::span(sent));
    host_.all_to_all(sent, send_counts, received, receive_counts);
    copy_to_device(std::span<const std::uint64_t>(received), receive.data());
  }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const std::span<const std::byte> gathered = host_.all_gather(mine);
    std::copy(gathered.begin(), gathered.end(), all.begin());
  }

  HostCommunicator& host_;
};

}  // namespace wrsgpu
