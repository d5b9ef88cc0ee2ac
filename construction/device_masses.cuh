// Weights and integer masses as the kernels of the thesis's methods read them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/masses/device_tile_map.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/masses.hpp"

namespace wrsgpu {

/// Masses as arguments of kernels; `get()` reads the summary that an earlier kernel wrote.
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

/// For kernels whose elements include their masses: provides only the mass of a bucket.
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
/// on `stream`. Takes its temporary storage from `arena`; launches nothing if the arena only
/// counts. The sum is the same on every run on devices of the same kind.
template <class T>
void summarise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                         DeviceArena& arena, cudaStream_t stream);

/// The summary of weights in host memory, computed on up to `threads` threads (0: all), or of
/// weights in device memory, computed there. Throws `Error` as `summarise` does.
[[nodiscard]] WeightSummary summarise_in_place(WeightsView weights, unsigned threads);

/// Writes the integer masses (wrsgpu/detail/masses/mass_tiles.hpp) of `weights` to `masses` (device
/// memory, one per weight), bitwise identical to the host's. `tiles` and `summary` are the results
/// of `merge::balance_tiles`.
///
/// @note Asynchronous, in stream order; no allocation.
template <class T>
void quantise_on_device(std::span<const T> weights, const DeviceMassTiles& tiles,
                        const DeviceWeightSummary* summary, std::uint64_t* masses,
                        cudaStream_t stream);

/// Checks and sums weights in device memory in one pass, then writes their masses and returns the
/// result of `read_summary`; for code that is not timed.
///
/// @param room called once if the weights are valid; gives device memory for one mass per weight
/// @throws Error for invalid weights, as `summarise` does, before anything is changed
/// @note Allocates and synchronises.
WeightSummary masses_on_device(WeightsView weights, const std::function<std::uint64_t*()>& room);
WeightSummary masses_on_device(WeightsView weights, std::span<std::uint64_t> masses);

}  // namespace wrsgpu
