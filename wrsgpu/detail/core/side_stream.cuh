// A second stream beside the caller's.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

/// Work that runs beside that of another stream, which it follows and which waits for it. Can be
/// captured in a graph.
class SideStream {
 public:
  SideStream() {
    WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    WRSGPU_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    detail::ignore_failure(cudaEventDestroy(event_));
    detail::ignore_failure(cudaStreamDestroy(stream_));
  }

  [[nodiscard]] cudaStream_t get() const { return stream_; }

  /// What comes next on this stream begins when all that is on `main` so far is done.
  void follow(cudaStream_t main) const {
    WRSGPU_CUDA_CHECK(cudaEventRecord(event_, main));
    WRSGPU_CUDA_CHECK(cudaStreamWaitEvent(stream_, event_, 0));
  }
  /// What comes next on `main` begins when all that is on this stream so far is done.
  void join(cudaStream_t main) const {
    WRSGPU_CUDA_CHECK(cudaEventRecord(event_, stream_));
    WRSGPU_CUDA_CHECK(cudaStreamWaitEvent(main, event_, 0));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace wrsgpu
