// Weights and integer masses as the kernels of the thesis's methods read them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/masses.hpp"

namespace wrsgpu {

/// Masses as device kernels get them; `get()` reads the summary that an earlier kernel wrote.
template <class T>
struct FloatingSource {
  using Masses = ScaledWeights<T>;
  const T* weights;
  const DeviceWeightSummary* summary;
  [[nodiscard]] WRSGPU_HD Masses get() const {
    return {weights, summary->summary.scale, summary->bucket};
  }
};
struct IntegerSource {
  using Masses = IntegerMasses;
  const std::uint64_t* masses;
  [[nodiscard]] WRSGPU_HD Masses get() const { return {masses}; }
};

/// For kernels whose elements bring their masses along: only what a bucket holds.
template <class M>
struct BucketOnly {
  using Mass = M;
  Mass bucket;
};
template <class Mass>
struct BucketSource {
  using Masses = BucketOnly<Mass>;
  const DeviceWeightSummary* summary;
  [[nodiscard]] WRSGPU_HD Masses get() const {
    if constexpr (std::is_integral_v<Mass>) {
      return {fixed_bucket};
    } else {
      return {summary->bucket};
    }
  }
};

/// Checks and sums `weights` (device memory, T is float or double) into `*summary` (device memory)
/// on `stream`. Takes its temporary storage from `arena`; an arena without a block only counts
/// sizes, and nothing is launched. The sum is the same on every run on one kind of device.
template <class T>
void summarise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                         DeviceArena& arena, cudaStream_t stream);

/// The summary of weights in host memory, found on up to `threads` threads (0: all), or in device
/// memory, found there. Throws what `summarise` throws.
[[nodiscard]] WeightSummary summarise_where_they_are(WeightsView weights, unsigned threads);

/// Writes the integer masses (wrsgpu/detail/masses/mass_tiles.hpp) of `weights` to `masses` (device
/// memory, as many): the host's, bit for bit. `tiles` and `summary` are what `merge::balance_tiles`
/// found. Asynchronous, in stream order; no allocation.
template <class T>
void quantise_on_device(std::span<const T> weights, const MassTile* tiles,
                        const DeviceWeightSummary* summary, std::uint64_t* masses,
                        cudaStream_t stream);

/// Writes the masses of weights in device memory and returns what `read_summary` does, where
/// nothing is timed: allocates and waits.
WeightSummary masses_on_device(WeightsView weights, std::span<std::uint64_t> masses);

}  // namespace wrsgpu
