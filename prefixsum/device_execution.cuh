// Runs the steps of a prefix sum as kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "prefixsum/device_run.hpp"
#include "prefixsum/prefix_sum.hpp"
#include "prefixsum/tree.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::prefixsum {

/// Global memory.
template <class T>
struct DeviceArray {
  using Value = std::remove_const_t<T>;
  T* data;
  [[nodiscard]] WRSGPU_HD Value load(std::uint64_t i) const { return data[i]; }
  WRSGPU_HD void store(std::uint64_t i, Value value) const { data[i] = value; }
};

/// The threads of the calling block. All of them must reach `each`; shared-memory writes of one
/// call are visible to the next.
struct DeviceTeam {
  template <class F>
  WRSGPU_HD void each(unsigned count, F f) const {
#ifdef __CUDA_ARCH__
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) f(i);
    __syncthreads();
#endif
  }
};

/// Thread i of the grid runs `step(i)` if i < `count`.
template <class Step>
__global__ void run_threads(Step step, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) step(i);
}

/// Block b of the grid runs `program` for block b.
template <class Program>
__global__ void run_blocks(Program program) {
  __shared__ typename Program::Value shared[padded_size(Program::items)];
  program(DeviceTeam{}, PaddedArray<typename Program::Value>{shared}, blockIdx.x);
}

/// An execution (see prefix_sum.hpp) on a stream of the device.
class DeviceExecution {
 public:
  explicit DeviceExecution(cudaStream_t stream) : stream_(stream) {}

  template <class T>
  [[nodiscard]] static DeviceArray<T> array(T* data) {
    return {data};
  }

  template <class Step>
  void threads(std::uint64_t count, Step step) const {
    constexpr unsigned block_threads = 256;
    run_threads<<<blocks_for(count, block_threads), block_threads, 0, stream_>>>(step, count);
    check_launch("prefixsum::run_threads");
  }

  /// One thread for each node of the lowest level of a block's tree.
  template <class Program>
  void blocks(std::uint64_t count, Program program) const {
    run_blocks<<<blocks_for(count, 1), Program::items / 2, 0, stream_>>>(program);
    check_launch("prefixsum::run_blocks");
  }

 private:
  cudaStream_t stream_;
};

/// `Method::run` on the device, with the conventions of `DeviceRun`.
template <class Method, class T>
void run_steps(void* temporary, std::size_t& temporary_bytes, const T* in, T* out,
               std::uint64_t size, Kind kind, cudaStream_t stream) {
  const std::size_t items = size == 0 ? 0 : Method::temporary_items(size);
  const std::size_t needed = items == 0 ? 1 : items * sizeof(T);
  if (temporary == nullptr) {
    temporary_bytes = needed;
    return;
  }
  check_arguments(Method::name, temporary_bytes, needed, in, out, size, Method::in_place);
  if (size == 0) return;
  DeviceExecution execution(stream);
  Method::run(execution, in, out, static_cast<T*>(temporary), size, kind);
}

/// `run_steps` of `Method` for every item type.
template <class Method>
DeviceRuns runs_of_steps() {
  return {run_steps<Method, std::uint32_t>, run_steps<Method, std::uint64_t>,
          run_steps<Method, float>, run_steps<Method, double>};
}

}  // namespace wrsgpu::prefixsum
