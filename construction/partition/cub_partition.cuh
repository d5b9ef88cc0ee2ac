// Light and heavy items apart, by cub::DevicePartition (thesis 4.3).
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_partition.cuh>

#include "wrsgpu/construction/device_weights.cuh"
#include "wrsgpu/construction/partition/items.cuh"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::partition {

namespace detail {
template <class Source>
struct IsLight {
  Source source;
  __device__ bool operator()(Index item) const {
    const auto masses = source.get();
    return masses[item] <= masses.bucket;
  }
};
template <class Source>
struct IsHeavy {
  Source source;
  __device__ bool operator()(Index item) const { return !IsLight<Source>{source}(item); }
};
}  // namespace detail

/// Writes the light items to `items.light`, the heavy ones to `items.heavy`, both in index order,
/// and their numbers to `items.counts`. The items are classified as the partition reads them. CUB's
/// three-way form keeps the order of both classes; its two-way form reverses the second. The
/// conventions of `summarise_on_device`.
template <class Source>
void cub_partition(Source source, Index size, Items items, DeviceArena& arena,
                   cudaStream_t stream) {
  const auto input = thrust::make_counting_iterator(Index{0});
  auto* neither = arena.take<Index>(1);  // never written: every item is light or heavy
  const auto run = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DevicePartition::If(
        storage, bytes, input, items.light, items.heavy, neither, items.counts, size,
        detail::IsLight<Source>{source}, detail::IsHeavy<Source>{source}, stream));
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (arena.has_block()) run(storage, bytes);
}

}  // namespace wrsgpu::partition
