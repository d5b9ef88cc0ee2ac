// The partition of PSA+, with and without greedy packing (thesis 3.3 and 4.6).
#include "construction/partition/custom_partition.cuh"

namespace wrsgpu::partition {
namespace {

using Shape = PartitionTileShape<256, 16, 64>;

}  // namespace

PartitionMethod custom_method() {
  return {
      "custom", "thesis 4.6", "tiles partitioned in shared memory, as PSA+ does",
      [](const AnyPartitionTask& any, DeviceArena& arena, cudaStream_t stream) {
        std::visit(
            [&](const auto& task) { launch_tiles<Shape, false>(task, NoRows{}, 0, arena, stream); },
            any);
      }};
}

void greedy_partition(const AnyPartitionTask& task, const AnyRows& rows, Index min_items,
                      DeviceArena& arena, cudaStream_t stream) {
  greedy_partition_of<Shape>(task, rows, min_items, arena, stream);
}

}  // namespace wrsgpu::partition
