// Time on the device.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <chrono>

#include "experiments/common/experiment.hpp"
#include "experiments/common/flush_l2.hpp"
#include "experiments/common/hold_stream.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::experiments {

/// Measures what is enqueued on a stream between `start()` and `seconds()`, with CUDA events. On an
/// idle stream the first event is over before the first launch, and a short time is that of the
/// host's launches, as it is for a caller that waits each time, and in the papers. Where
/// `launches_are_hidden` the stream is held while the host enqueues, from the second time on. The
/// L2 is flushed before where `l2_is_cold`.
class CudaTimer {
 public:
  explicit CudaTimer(cudaStream_t stream) : stream_(stream) {
    WRSGPU_CUDA_CHECK(cudaEventCreate(&begin_));
    WRSGPU_CUDA_CHECK(cudaEventCreate(&end_));
  }
  CudaTimer(const CudaTimer&) = delete;
  CudaTimer& operator=(const CudaTimer&) = delete;
  ~CudaTimer() {
    detail::ignore_failure(cudaEventDestroy(begin_));
    detail::ignore_failure(cudaEventDestroy(end_));
  }

  void start() {
    flush_l2_if_cold(stream_);
    if (hold_.count() > 0) hold_stream(stream_, hold_);
    WRSGPU_CUDA_CHECK(cudaEventRecord(begin_, stream_));
    started_ = Clock::now();
  }
  /// Synchronises.
  [[nodiscard]] double seconds() {
    WRSGPU_CUDA_CHECK(cudaEventRecord(end_, stream_));
    // Work that takes the host longer waits for the device, or is too long for a launch to matter.
    constexpr std::chrono::microseconds maximum{200};
    const std::chrono::nanoseconds enqueued = Clock::now() - started_;
    const bool holds = launches_are_hidden && enqueued < maximum;
    hold_ = holds ? 2 * enqueued : std::chrono::nanoseconds{0};
    WRSGPU_CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    WRSGPU_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  using Clock = std::chrono::steady_clock;

  cudaStream_t stream_;
  Clock::time_point started_;
  std::chrono::nanoseconds hold_{0};
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Calls `work`, which enqueues on the default stream, in each iteration and sets how long that
/// took the device as the iteration's time. Returns the mean in seconds.
template <class Work>
double time_on_device(benchmark::State& state, const Work& work) {
  CudaTimer timer(nullptr);
  double seconds = 0;
  for (auto _ : state) {
    timer.start();
    work();
    const double elapsed = timer.seconds();
    state.SetIterationTime(elapsed);
    seconds += elapsed;
  }
  return seconds / static_cast<double>(state.iterations());
}

}  // namespace wrsgpu::experiments
