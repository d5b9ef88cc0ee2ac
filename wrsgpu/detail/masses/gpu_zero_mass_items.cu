#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/masses/gpu_zero_mass_items.cuh"

namespace wrsgpu {
namespace {

/// The smallest positive weight, as a bit pattern (ordered like the numbers), and the sum.
struct RangeBits {
  unsigned long long minimum;
  double sum;
};

constexpr unsigned block_threads = 256;
constexpr unsigned whole_warp = 0xFFFFFFFF;

/// Adds the weights to `*range`, in no fixed order.
template <class T>
__global__ void __launch_bounds__(block_threads)
    weight_range_kernel(const T* __restrict__ weights, std::uint64_t size, RangeBits* range) {
  double minimum = __longlong_as_double(0x7FF0000000000000LL);  // infinity
  double sum = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += step) {
    const double weight = static_cast<double>(weights[i]);
    if (weight > 0 && weight < minimum) minimum = weight;
    sum += weight;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    minimum = fmin(minimum, __shfl_down_sync(whole_warp, minimum, distance));
    sum += __shfl_down_sync(whole_warp, sum, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMin(&range->minimum, static_cast<unsigned long long>(__double_as_longlong(minimum)));
  atomicAdd(&range->sum, sum);
}

template <class T>
WeightRange range_on_device(std::span<const T> weights) {
  constexpr RangeBits nothing{
      std::bit_cast<unsigned long long>(std::numeric_limits<double>::infinity()), 0};
  DeviceBuffer<RangeBits> range(1);
  copy_to_device(std::span<const RangeBits>(&nothing, 1), range.data());
  weight_range_kernel<<<capped_blocks_for(weights.size(), block_threads, 2048), block_threads>>>(
      weights.data(), weights.size(), range.data());
  check_launch("weight_range_kernel");
  RangeBits found{};
  copy_to_host(static_cast<const RangeBits*>(range.data()), std::span<RangeBits>(&found, 1));
  return {std::bit_cast<double>(found.minimum), found.sum};
}

}  // namespace

ZeroMassItems find_zero_mass_items_on_device(WeightsView weights, unsigned threads) {
  return weights.visit([&]<class T>(std::span<const T> all) {
    if (!may_have_zero_mass_items(range_on_device(all), all.size())) return ZeroMassItems{};
    HostBuffer<T> copy(all.size());
    copy_to_host(all.data(), copy.span());
    return find_zero_mass_items(std::as_const(copy), threads);
  });
}

}  // namespace wrsgpu
