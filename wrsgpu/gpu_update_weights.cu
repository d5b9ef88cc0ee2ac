#include "wrsgpu/gpu_update_weights.cuh"

#include <limits>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/masses/valid_weight.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

constexpr unsigned update_threads = 256;
/// One block makes up to this many updates in one launch, a thread each.
constexpr unsigned max_single_block_updates = 1024;

/// Updates of weights. If they are too many for one block, each stamps its item with its number,
/// the greatest remains, and the update that finds its own number writes. Then the stamps are
/// removed.
template <class T>
struct WeightUpdates {
  T* weights;
  Index items;
  const Index* indices;
  const T* values;
  Index count;
  Index* stamps;
  unsigned long long* invalid;

  __device__ void stamp(Index j) const {
    if (indices[j] < items && is_valid_weight(values[j])) {
      atomicMax(stamps + indices[j], j + 1);
    } else {
      atomicMax(invalid, static_cast<unsigned long long>(count - j));
    }
  }
  __device__ void write(Index j) const {
    const Index index = indices[j];
    if (index >= items) return;
    const Index last = stamps[index];
    const bool none_invalid = *static_cast<volatile unsigned long long*>(invalid) == 0;
    if (none_invalid && last == j + 1) weights[index] = values[j];
  }
  __device__ void unstamp(Index j) const {
    if (indices[j] < items) stamps[indices[j]] = 0;
  }
};

/// The last update of each item, by a block: a hash table in shared memory, half full at most.
struct LastUpdates {
  static constexpr int bits = 11;
  static constexpr unsigned size = 1U << bits;
  static_assert(size >= 2 * max_single_block_updates);
  static constexpr Index none = ~Index{0};

  Index items[size];
  unsigned numbers[size];  ///< of the last update, from 1 on

  __device__ void clear() {
    for (unsigned place = threadIdx.x; place < size; place += blockDim.x) {
      items[place] = none;
      numbers[place] = 0;
    }
  }
  /// The place of an item, with its update `number`.
  [[nodiscard]] __device__ unsigned insert(Index item, unsigned number) {
    unsigned place = item * 0x9E37'79B9U >> (32 - bits);
    for (;; place = (place + 1) % size) {
      const Index other = atomicCAS(items + place, none, item);
      if (other == none || other == item) break;
    }
    atomicMax(numbers + place, number);
    return place;
  }
};

template <class T>
__global__ void __launch_bounds__(max_single_block_updates)
    update_in_one_block(const WeightUpdates<T> updates) {
  __shared__ LastUpdates last;
  __shared__ unsigned invalid;
  const unsigned j = threadIdx.x;
  last.clear();
  if (j == 0) invalid = 0;
  grid_dependency_sync();
  trigger_launch_completion();
  __syncthreads();
  Index item = 0;
  T value{};
  unsigned place = 0;
  const bool has_update = j < updates.count;
  if (has_update) {
    item = updates.indices[j];
    value = updates.values[j];
    if (item < updates.items && is_valid_weight(value)) {
      place = last.insert(item, j + 1);
    } else {
      atomicMax(&invalid, updates.count - j);
    }
  }
  __syncthreads();
  if (j == 0) *updates.invalid = invalid;
  if (has_update && invalid == 0 && last.numbers[place] == j + 1) updates.weights[item] = value;
}

enum class UpdateStep { stamp, write, unstamp };

template <UpdateStep step, class T>
__global__ void __launch_bounds__(update_threads) update_step(const WeightUpdates<T> updates) {
  const std::uint64_t j = std::uint64_t{blockIdx.x} * update_threads + threadIdx.x;
  if (j >= updates.count) return;
  if constexpr (step == UpdateStep::stamp) updates.stamp(static_cast<Index>(j));
  if constexpr (step == UpdateStep::write) updates.write(static_cast<Index>(j));
  if constexpr (step == UpdateStep::unstamp) updates.unstamp(static_cast<Index>(j));
}

template <class T>
void launch_updates(const WeightUpdates<T>& updates, cudaStream_t stream) {
  if (updates.count <= max_single_block_updates) {
    launch_programmatic(update_in_one_block<T>, {1, max_single_block_updates}, stream, updates);
    check_launch("update_in_one_block");
    return;
  }
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(updates.invalid, 0, sizeof *updates.invalid, stream));
  const unsigned blocks = blocks_for(updates.count, update_threads);
  update_step<UpdateStep::stamp><<<blocks, update_threads, 0, stream>>>(updates);
  check_launch("update_step stamp");
  update_step<UpdateStep::write><<<blocks, update_threads, 0, stream>>>(updates);
  check_launch("update_step write");
  update_step<UpdateStep::unstamp><<<blocks, update_threads, 0, stream>>>(updates);
  check_launch("update_step unstamp");
}

/// One element of device memory.
template <class T>
[[nodiscard]] T read_element(const T* element) {
  T value{};
  WRSGPU_CUDA_CHECK(cudaMemcpy(&value, element, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace

GpuWeightUpdater::GpuWeightUpdater(Index max_items) {
  require_capacity("max_items", max_items);
  require_cuda_device();
  stamps_ = DeviceBuffer<Index>(max_items);
  last_ = DeviceBuffer<unsigned long long>(1);
  WRSGPU_CUDA_CHECK(cudaMemset(stamps_.data(), 0, stamps_.bytes()));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

template <class T>
void GpuWeightUpdater::launch(std::span<T> weights, std::span<const Index> indices,
                              std::span<const T> values, cudaStream_t stream) {
  detail::require_value_for_each(indices.size(), values.size());
  if (weights.size() > stamps_.size() || indices.size() > wrsgpu::max_items) {
    throw Error("update: " + std::to_string(indices.size()) + " updates of " +
                std::to_string(weights.size()) + " weights are more than the 2^32 - 2 of " +
                std::to_string(stamps_.size()) + " for which memory is reserved");
  }
  if (!indices.empty()) {
    require_on_device(weights.data(), "weights");
    require_on_device(indices.data(), "indices");
    require_on_device(values.data(), "values");
  }
  launch_updates(WeightUpdates<T>{weights.data(), static_cast<Index>(weights.size()),
                                  indices.data(), values.data(), static_cast<Index>(indices.size()),
                                  stamps_.data(), last_.data()},
                 stream);
  update_ = Update<T>{indices, values, weights.size()};
}

void GpuWeightUpdater::update(std::span<float> weights, std::span<const Index> indices,
                              std::span<const float> values, cudaStream_t stream) {
  launch(weights, indices, values, stream);
}
void GpuWeightUpdater::update(std::span<double> weights, std::span<const Index> indices,
                              std::span<const double> values, cudaStream_t stream) {
  launch(weights, indices, values, stream);
}

void GpuWeightUpdater::finish(cudaStream_t stream) {
  const auto report = [&]<class T>(const Update<T>& update) {
    unsigned long long from_end = 0;
    WRSGPU_CUDA_CHECK(
        cudaMemcpyAsync(&from_end, last_.data(), sizeof from_end, cudaMemcpyDeviceToHost, stream));
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    if (from_end == 0) return;
    const std::uint64_t number = update.indices.size() - from_end;
    detail::throw_bad_update(number, read_element(update.indices.data() + number), update.items,
                             static_cast<double>(read_element(update.values.data() + number)),
                             std::numeric_limits<T>::max_digits10);
  };
  if (const auto* floats = std::get_if<Update<float>>(&update_)) return report(*floats);
  if (const auto* doubles = std::get_if<Update<double>>(&update_)) return report(*doubles);
  throw Error("finish: nothing was updated; call update() first");
}

}  // namespace wrsgpu
