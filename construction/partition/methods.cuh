// The partitions into light and heavy items on the GPU, by name (thesis 4.3 and 4.6).
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "construction/device_masses.cuh"
#include "construction/partition/items.cuh"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu::partition {

/// Writes the light items (mass at most the bucket) to `items.light`, the heavy ones to
/// `items.heavy`, both in index order, and their numbers to `items.counts`.
template <class SourceT, class ElementT>
struct PartitionTask {
  using Source = SourceT;
  using Element = ElementT;
  Source source;
  Index size;
  Items<Element> items;
};

using AnyPartitionTask =
    std::variant<PartitionTask<FloatingSource<float>, Index>,
                 PartitionTask<FloatingSource<double>, Index>, PartitionTask<IntegerSource, Index>,
                 PartitionTask<FloatingSource<float>, pack::ItemMass<double>>,
                 PartitionTask<FloatingSource<double>, pack::ItemMass<double>>,
                 PartitionTask<IntegerSource, pack::ItemMass<std::uint64_t>>>;

struct PartitionMethod {
  std::string name;
  /// Publication and section.
  std::string source;
  std::string summary;
  /// Launches the partition. Follows the conventions of `DeviceArena`.
  void (*launch)(const AnyPartitionTask& task, DeviceArena& arena, cudaStream_t stream);
};

/// All methods. A new one is a file, declared and listed in methods.cu.
[[nodiscard]] const std::vector<PartitionMethod>& methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const PartitionMethod& find_method(std::string_view name);

/// PSA+ (thesis 3.3 and 4.6): the custom partition with greedy packing into `rows`; the remaining
/// items are in the lists. Tiles with fewer than `min_items` light or heavy items are not packed.
/// `task` must have elements with masses.
void greedy_partition(const AnyPartitionTask& task, const AnyRows& rows, Index min_items,
                      DeviceArena& arena, cudaStream_t stream);

}  // namespace wrsgpu::partition
