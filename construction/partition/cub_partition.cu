// Partition into light and heavy items by cub::DevicePartition (thesis 4.3). Items are classified
// while the partition reads them. CUB's three-way form keeps the order of both classes; its two-way
// form reverses the second.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_partition.cuh>

#include "construction/partition/classify.cuh"
#include "construction/partition/methods.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::partition {
namespace {

template <class Source, class Element>
void partition(const PartitionTask<Source, Element>& task, DeviceArena& arena,
               cudaStream_t stream) {
  const auto input = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}),
                                                     ToElement<Source, Element>{task.source});
  auto* neither = arena.take<Element>(1);  // never written: every item is light or heavy
  const auto run = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DevicePartition::If(
        storage, bytes, input, task.items.light, task.items.heavy, neither, task.items.counts,
        task.size, IsLight<Source>{task.source}, IsHeavy<Source>{task.source}, stream));
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (arena.has_block()) run(storage, bytes);
}

}  // namespace

[[nodiscard]] PartitionMethod cub_method() {
  return {"cub", "thesis 4.3", "cub::DevicePartition, classifying as it reads",
          [](const AnyPartitionTask& any, DeviceArena& arena, cudaStream_t stream) {
            std::visit([&](const auto& task) { partition(task, arena, stream); }, any);
          }};
}

}  // namespace wrsgpu::partition
