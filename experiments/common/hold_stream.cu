#include "experiments/common/hold_stream.hpp"

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::experiments {
namespace {

[[nodiscard]] __device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for_time(unsigned long long nanoseconds) {
  const unsigned long long begin = nanoseconds_now();
  while (nanoseconds_now() - begin < nanoseconds) {
  }
}

}  // namespace

void hold_stream(cudaStream_t stream, std::chrono::nanoseconds time) {
  wait_for_time<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(time.count()));
  check_launch("wait_for_time");
}

}  // namespace wrsgpu::experiments
