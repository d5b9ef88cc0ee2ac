// A second stream that forks from the caller's and joins it.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

/// A stream for work concurrent with another stream's. Fork and join can be captured in a graph.
class SideStream {
 public:
  enum Urgency { as_others, urgent };

  /// @param urgency whether its work takes precedence of that of other streams
  explicit SideStream(Urgency urgency = as_others) {
    int greatest = 0;
    if (urgency == urgent) {
      WRSGPU_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(nullptr, &greatest));
    }
    WRSGPU_CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    WRSGPU_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    detail::ignore_failure(cudaEventDestroy(event_));
    detail::ignore_failure(cudaStreamDestroy(stream_));
  }

  [[nodiscard]] cudaStream_t get() const { return stream_; }

  /// Fork: later work on this stream waits for all work so far on `main`.
  void follow(cudaStream_t main) const {
    WRSGPU_CUDA_CHECK(cudaEventRecord(event_, main));
    WRSGPU_CUDA_CHECK(cudaStreamWaitEvent(stream_, event_, 0));
  }
  /// Join: later work on `main` waits for all work so far on this stream.
  void join(cudaStream_t main) const {
    WRSGPU_CUDA_CHECK(cudaEventRecord(event_, stream_));
    WRSGPU_CUDA_CHECK(cudaStreamWaitEvent(main, event_, 0));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace wrsgpu
