#include "construction/device_masses.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <limits>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/masses/write_masses.cuh"

namespace wrsgpu {
namespace {

struct Partial {
  double total;
  double largest;
  std::uint64_t first_invalid;
};

template <class T>
struct ToPartial {
  const T* weights;
  __device__ Partial operator()(std::uint64_t i) const {
    const double w = static_cast<double>(weights[i]);
    const bool fit = w >= 0 && w <= std::numeric_limits<double>::max();
    return {w, w, fit ? std::numeric_limits<std::uint64_t>::max() : i};
  }
};

struct Combine {
  __device__ Partial operator()(const Partial& a, const Partial& b) const {
    return {a.total + b.total, a.largest > b.largest ? a.largest : b.largest,
            a.first_invalid < b.first_invalid ? a.first_invalid : b.first_invalid};
  }
};

/// One thread. Computes the result of `summarise` on the host, or the index of the first invalid
/// weight.
__global__ void finish_summary(const Partial* partial, Index size, DeviceWeightSummary* out) {
  const WeightSummary summary = make_summary(partial->total, partial->largest, size);
  const bool all_valid = partial->first_invalid >= size;
  const bool fit =
      all_valid && partial->largest > 0 && partial->total <= std::numeric_limits<double>::max();
  *out = {summary, summary.bucket(), all_valid ? size : partial->first_invalid, fit};
}

}  // namespace

template <class T>
void summarise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                         DeviceArena& arena, cudaStream_t stream) {
  const auto input = thrust::make_transform_iterator(
      thrust::make_counting_iterator(std::uint64_t{0}), ToPartial<T>{weights.data()});
  const Partial nothing{0, 0, std::numeric_limits<std::uint64_t>::max()};
  auto* partial = arena.take<Partial>(1);
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceReduce::Reduce(nullptr, bytes, input, partial, weights.size(),
                                              Combine{}, nothing, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cub::DeviceReduce::Reduce(storage, bytes, input, partial, weights.size(),
                                              Combine{}, nothing, stream));
  finish_summary<<<1, 1, 0, stream>>>(partial, static_cast<Index>(weights.size()), summary);
  check_launch("finish_summary");
}

WeightSummary summarise_in_place(WeightsView weights, unsigned threads) {
  if (weights.device() == Device::cpu) return summarise(weights, threads);
  check_size_and_memory(weights, Device::cuda);
  DeviceBuffer<DeviceWeightSummary> summary = new_device_summary();
  weights.visit([&](auto w) {
    run_with_own_storage(
        [&](DeviceArena& arena) { summarise_on_device(w, summary.data(), arena, nullptr); });
  });
  return read_summary(weights, summary.data(), nullptr);
}

template <class T>
void quantise_on_device(std::span<const T> weights, const DeviceMassTiles& tiles,
                        const DeviceWeightSummary* summary, std::uint64_t* masses,
                        cudaStream_t stream) {
  write_masses_on_device(weights, tiles, summary, cuda::std::identity{}, masses, stream);
}

WeightSummary masses_on_device(WeightsView weights, const std::function<std::uint64_t*()>& room) {
  DeviceBuffer<DeviceWeightSummary> summary = new_device_summary();
  WeightSummary result;
  weights.visit([&](auto w) {
    run_with_own_storage([&](DeviceArena& arena) {
      const auto balanced = merge::balance_tiles(w, summary.data(), arena, nullptr);
      if (!arena.has_block()) return;
      result = read_summary(weights, summary.data(), nullptr);
      quantise_on_device(w, balanced.mass_tiles(), summary.data(), room(), nullptr);
    });
  });
  return result;
}

WeightSummary masses_on_device(WeightsView weights, std::span<std::uint64_t> masses) {
  return masses_on_device(weights, [&] { return masses.data(); });
}

template void summarise_on_device(std::span<const float>, DeviceWeightSummary*, DeviceArena&,
                                  cudaStream_t);
template void summarise_on_device(std::span<const double>, DeviceWeightSummary*, DeviceArena&,
                                  cudaStream_t);
template void quantise_on_device(std::span<const float>, const DeviceMassTiles&,
                                 const DeviceWeightSummary*, std::uint64_t*, cudaStream_t);
template void quantise_on_device(std::span<const double>, const DeviceMassTiles&,
                                 const DeviceWeightSummary*, std::uint64_t*, cudaStream_t);

}  // namespace wrsgpu
