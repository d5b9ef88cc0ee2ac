#include "construction/partition/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::partition {

// One file each.
[[nodiscard]] PartitionMethod classification_kernel_method();  // prefix_sum_partition.cu
[[nodiscard]] PartitionMethod on_demand_method();
[[nodiscard]] PartitionMethod cub_method();     // cub_partition.cu
[[nodiscard]] PartitionMethod custom_method();  // custom_partition.cu

const std::vector<PartitionMethod>& methods() {
  static const std::vector<PartitionMethod> all{
      classification_kernel_method(),
      on_demand_method(),
      cub_method(),
      custom_method(),
  };
  return all;
}

const PartitionMethod& find_method(std::string_view name) {
  return find_by_name(methods(), name, "partition");
}

}  // namespace wrsgpu::partition
