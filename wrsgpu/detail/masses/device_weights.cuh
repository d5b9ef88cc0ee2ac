// Weights on the device: their check and sum, and their integer masses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {

/// `WeightSummary` in device memory: what later kernels read, so that nothing waits for the host.
struct DeviceWeightSummary {
  WeightSummary summary;
  double bucket;              ///< summary.bucket()
  std::uint64_t first_unfit;  ///< index of the first NaN, infinite or negative weight, or `size`
  bool fit;                   ///< no such weight, the sum is finite and not zero
};

/// One in device memory. Zero before it is written, so that no byte of it, padding included, is
/// undefined when it is copied; all streams may write it.
[[nodiscard]] inline DeviceBuffer<DeviceWeightSummary> new_device_summary() {
  DeviceBuffer<DeviceWeightSummary> summary(1);
  WRSGPU_CUDA_CHECK(cudaMemset(summary.data(), 0, summary.bytes()));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  return summary;
}

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
/// on `stream`. Takes its temporary storage from `arena`; an arena without a block is only asked
/// for sizes and nothing is launched. The sum is the same on every run on one kind of device.
template <class T>
void summarise_on_device(std::span<const T> weights, DeviceWeightSummary* summary,
                         DeviceArena& arena, cudaStream_t stream);

/// Waits for `stream` and reads `*summary`. Throws `Error` where that is of another number of
/// weights (a graph may have run), and the one that `summarise` throws on the host when the weights
/// are unfit.
[[nodiscard]] WeightSummary read_summary(WeightsView weights, const DeviceWeightSummary* summary,
                                         cudaStream_t stream);

/// The summary of weights in host memory, found on up to `threads` threads (0: all), or in device
/// memory, found there. Throws what `summarise` throws.
[[nodiscard]] WeightSummary summarise_where_they_are(WeightsView weights, unsigned threads);

/// Calls `use(view)` with the weights in device memory, to which those in host memory are copied.
template <class Use>
void with_weights_on_device(WeightsView weights, const Use& use) {
  if (weights.device() == Device::cuda) return use(weights);
  weights.visit([&]<class T>(std::span<const T> host) {
    DeviceBuffer<T> device(host.size());
    copy_to_device(host, device.data());
    use(WeightsView::on_device(std::as_const(device).span()));
  });
}

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
