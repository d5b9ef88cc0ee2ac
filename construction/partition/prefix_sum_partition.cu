// Partitions by a prefix sum P over the classes, 0 for light and 1 for heavy (thesis 4.3): heavy
// item i has place P_i in its list, light item i has place i - P_i.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "construction/partition/classify.cuh"
#include "construction/partition/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::partition {
namespace {

constexpr unsigned block_threads = 256;

template <class Source>
struct ClassOf {
  Source source;
  __device__ Index operator()(Index item) const { return IsHeavy<Source>{source}(item) ? 1 : 0; }
};

/// Sets classes[i] to 1 for a heavy item and to 0 for a light one. One thread per item.
template <class Source>
__global__ void classify(Source source, Index size, Index* classes) {
  const Index item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) classes[item] = ClassOf<Source>{source}(item);
}

/// Writes each item to the place given by the number of heavy items before it; the last one writes
/// their total number. One thread per item.
template <class Source, class Element>
__global__ void scatter(PartitionTask<Source, Element> task, const Index* heavies_before) {
  const Index item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= task.size) return;
  const auto masses = task.source.get();
  const auto mass = masses[item];
  const bool is_heavy = !(mass <= masses.bucket);
  const Index before = heavies_before[item];
  Element* const place = is_heavy ? task.items.heavy + before : task.items.light + (item - before);
  *place = make_element<Element>(item, mass);
  if (item == task.size - 1) {
    const Index heavies = before + (is_heavy ? 1 : 0);
    task.items.counts[0] = task.size - heavies;
    task.items.counts[1] = heavies;
  }
}

template <class Classes>
void exclusive_sum(Classes classes, Index* sums, Index size, DeviceArena& arena,
                   cudaStream_t stream) {
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, classes, sums, size, stream));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, classes, sums, size, stream));
}

template <bool on_demand, class Source, class Element>
void partition(const PartitionTask<Source, Element>& task, DeviceArena& arena,
               cudaStream_t stream) {
  auto* before = arena.take<Index>(task.size);
  if (on_demand) {
    exclusive_sum(thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                  ClassOf<Source>{task.source}),
                  before, task.size, arena, stream);
  } else {
    auto* classes = arena.take<Index>(task.size);
    if (arena.has_block()) {
      classify<<<blocks_for(task.size, block_threads), block_threads, 0, stream>>>(
          task.source, task.size, classes);
      check_launch("partition::classify");
    }
    exclusive_sum(static_cast<const Index*>(classes), before, task.size, arena, stream);
  }
  if (!arena.has_block()) return;
  scatter<<<blocks_for(task.size, block_threads), block_threads, 0, stream>>>(task, before);
  check_launch("partition::scatter");
}

template <bool on_demand>
void launch(const AnyPartitionTask& any, DeviceArena& arena, cudaStream_t stream) {
  std::visit([&](const auto& task) { partition<on_demand>(task, arena, stream); }, any);
}

}  // namespace

[[nodiscard]] PartitionMethod classification_kernel_method() {
  return {"classification_kernel", "thesis 4.3", "classes written by a kernel, then prefix sum",
          launch<false>};
}
[[nodiscard]] PartitionMethod on_demand_method() {
  return {"on_demand", "thesis 4.3", "classified by the iterator of the prefix sum", launch<true>};
}

}  // namespace wrsgpu::partition
