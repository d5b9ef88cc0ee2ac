// Prefix sums of light and heavy masses on the device.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "wrsgpu/construction/device_weights.cuh"
#include "wrsgpu/construction/partition/items.cuh"
#include "wrsgpu/construction/split/baseline.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::split {

/// One kind's part of the inclusive prefix sums over all light, then all heavy masses.
template <class Mass>
struct DeviceSums {
  const Mass* sums;
  Mass before;
  [[nodiscard]] WRSGPU_HD Mass operator[](Index i) const { return sums[i] - before; }
};

namespace detail {
/// Position p holds light item p, or, behind the last light item, a heavy one.
template <class Source>
struct MassAt {
  Source source;
  partition::Items items;
  __device__ typename Source::Masses::Mass operator()(Index p) const {
    const Index lights = items.counts[0];
    const Index* element = p < lights ? items.light + p : items.heavy + (p - lights);
    return pack::mass_of(*element, source.get());
  }
};
}  // namespace detail

/// Inclusive prefix sums of the masses of `items`, light ones first, into `sums` (as many as
/// items). One scan for both kinds: their numbers, known on the device only, add up to N. The
/// conventions of `summarise_on_device`.
template <class Source, class Mass>
void prefix_sums(Source source, Index size, partition::Items items, Mass* sums, DeviceArena& arena,
                 cudaStream_t stream) {
  const auto input = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                     detail::MassAt<Source>{source, items});
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, input, sums, size, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, input, sums, size, stream));
}

/// The prefix sums as the split functions search them; for kernels.
template <class Mass>
[[nodiscard]] WRSGPU_HD PrefixSums<Mass, DeviceSums<Mass>> device_prefix_sums(
    const partition::Items& items, const Mass* sums, Mass bucket) {
  const Index lights = items.counts[0];
  const Mass light_mass = lights == 0 ? Mass{0} : sums[lights - 1];
  return {{sums, Mass{0}}, {sums + lights, light_mass}, lights, items.counts[1], bucket};
}

}  // namespace wrsgpu::split
