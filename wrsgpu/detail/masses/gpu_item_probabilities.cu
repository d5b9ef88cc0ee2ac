#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/write_masses.cuh"

namespace wrsgpu {
namespace {

struct ProbabilityOf {
  Index items;
  [[nodiscard]] __device__ float operator()(std::uint64_t mass) const {
    return probability_of_mass(mass, items);
  }
};

constexpr unsigned probability_threads = 256;

/// Adds the parts of each row to the masses of its item and its alias.
__global__ void __launch_bounds__(probability_threads)
    add_masses(CompactRows rows, unsigned long long* masses) {
  const Index i = blockIdx.x * probability_threads + threadIdx.x;
  if (i >= rows.size()) return;
  const CompactRow row = rows.load(i);
  if (row.threshold > 0) atomicAdd(masses + i, 0ULL + row.threshold);
  atomicAdd(masses + row.alias, fixed_bucket - row.threshold);
}

__global__ void __launch_bounds__(probability_threads)
    masses_to_probabilities(const unsigned long long* masses, Index items, float* probabilities) {
  const Index i = blockIdx.x * probability_threads + threadIdx.x;
  if (i < items) probabilities[i] = probability_of_mass(masses[i], items);
}

}  // namespace

void write_probabilities_on_device(const CompactRows& rows, float* probabilities,
                                   cudaStream_t stream) {
  const PoolBuffer<unsigned long long> masses(rows.size(), stream);
  WRSGPU_CUDA_CHECK(
      cudaMemsetAsync(masses.data(), 0, rows.size() * sizeof(unsigned long long), stream));
  const unsigned blocks = blocks_for(rows.size(), probability_threads);
  add_masses<<<blocks, probability_threads, 0, stream>>>(rows, masses.data());
  check_launch("add_masses");
  masses_to_probabilities<<<blocks, probability_threads, 0, stream>>>(masses.data(), rows.size(),
                                                                      probabilities);
  check_launch("masses_to_probabilities");
}

void write_probabilities_on_device(WeightsView weights, const DeviceMassTiles& tiles,
                                   const DeviceWeightSummary* summary, float* probabilities,
                                   cudaStream_t stream) {
  weights.visit([&](auto w) {
    write_masses_on_device(w, tiles, summary, ProbabilityOf{static_cast<Index>(w.size())},
                           probabilities, stream);
  });
}

}  // namespace wrsgpu
