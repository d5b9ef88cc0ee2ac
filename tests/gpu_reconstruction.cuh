// Exact reconstruction of tables that are too large for the host, where they are.
#pragma once

#include <thrust/count.h>
#include <thrust/execution_policy.h>

#include "construction/device_masses.cuh"
#include "construction/gpu_alias_table.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

inline __global__ void take_parts(CompactRows rows, unsigned long long* masses) {
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows.size();
       i += gridDim.x * blockDim.x) {
    const CompactRow row = rows.load(static_cast<Index>(i));
    const bool is_full = row.alias == i;
    const std::uint64_t own = is_full ? fixed_bucket : row.threshold;
    atomicAdd(masses + i, 0 - own);
    if (!is_full) atomicAdd(masses + row.alias, own - fixed_bucket);
  }
}

/// Items that a table of compact rows does not give the mass that their weight has.
[[nodiscard]] inline Index items_with_another_mass(const DeviceTable& table, WeightsView weights) {
  DeviceBuffer<std::uint64_t> masses(table.size());
  masses_on_device(weights, masses.span());
  auto* const left = reinterpret_cast<unsigned long long*>(masses.data());
  take_parts<<<10'000, 256>>>(table.compact_rows(), left);
  check_launch("take_parts");
  const auto right = thrust::count(thrust::device, left, left + table.size(), 0);
  return table.size() - static_cast<Index>(right);
}

/// Whether the device has so much memory left.
[[nodiscard]] inline bool has_free_memory(std::uint64_t bytes) {
  std::size_t free = 0;
  std::size_t all = 0;
  WRSGPU_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return free >= bytes;
}

}  // namespace wrsgpu
