// A device most of whose shared memory others hold, for kernels that must not need all of it.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/pinned_buffer.cuh"
#include "wrsgpu/detail/core/side_stream.cuh"

namespace wrsgpu {

/// Calls `is_so` until it returns true; false where that takes too long.
template <class IsSo>
[[nodiscard]] bool comes_soon(const IsSo& is_so) {
  constexpr std::chrono::seconds patience{20};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
  return true;
}

namespace detail {

/// `begun` has a word for each block. Ends by itself after a minute, if launches block.
inline __global__ void hold_room(const volatile int* is_released, volatile int* begun) {
  constexpr unsigned nap_ns = 10'000;
  begun[blockIdx.x] = 1;
  for (int naps = 0; *is_released == 0 && naps < 6'000'000; ++naps) __nanosleep(nap_ns);
}

}  // namespace detail

/// Holds `bytes` of the shared memory of each multiprocessor while it lives. Kernels that run
/// meanwhile have to be loaded, and memory allocated, before: either may wait for all that runs.
class HeldRoom {
 public:
  explicit HeldRoom(int bytes)
      : blocks_(static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount))),
        words_(blocks_ + std::size_t{1}) {
    const auto set = [](cudaFuncAttribute attribute, int value) {
      WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(detail::hold_room, attribute, value));
    };
    set(cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    set(cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
    std::fill_n(words_.data(), words_.size(), 0);
    volatile int* const begun = words_.data() + 1;
    detail::hold_room<<<blocks_, 1, static_cast<std::size_t>(bytes), stream_.get()>>>(words_.data(),
                                                                                      begun);
    WRSGPU_CUDA_CHECK(cudaGetLastError());
    is_held_ = comes_soon([&] { return std::find(begun, begun + blocks_, 0) == begun + blocks_; });
  }
  HeldRoom(const HeldRoom&) = delete;
  HeldRoom& operator=(const HeldRoom&) = delete;
  ~HeldRoom() {
    *static_cast<volatile int*>(words_.data()) = 1;
    static_cast<void>(cudaStreamSynchronize(stream_.get()));
  }

  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  unsigned blocks_;
  PinnedBuffer<int> words_;  // whether it is released, and for each block whether it has begun
  SideStream stream_;
  bool is_held_ = false;
};

}  // namespace wrsgpu
