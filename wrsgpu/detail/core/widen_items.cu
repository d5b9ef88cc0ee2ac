#include "wrsgpu/detail/core/widen_items.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

constexpr unsigned widen_threads = 256;
constexpr unsigned widened_at_a_time = 4;  // by a thread

__global__ void __launch_bounds__(widen_threads)
    widen(const Index* items, std::uint64_t count, std::uint64_t* out) {
  const std::uint64_t first =
      std::uint64_t{blockIdx.x} * widen_threads * widened_at_a_time + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < widened_at_a_time; ++k) {
    const std::uint64_t place = first + k * widen_threads;
    if (place < count) out[place] = items[place] == no_item ? ~std::uint64_t{0} : items[place];
  }
}

}  // namespace

void widen_items(std::span<const Index> items, std::span<std::uint64_t> out, cudaStream_t stream) {
  if (items.empty()) return;
  const unsigned blocks = blocks_for(items.size(), widen_threads * widened_at_a_time);
  widen<<<blocks, widen_threads, 0, stream>>>(items.data(), items.size(), out.data());
  check_launch("widen_items");
}

}  // namespace wrsgpu
