#include "construction/partition/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::partition {

// One file each.
[[nodiscard]] Method classification_kernel_method();  // prefix_sum_partition.cu
[[nodiscard]] Method on_demand_method();
[[nodiscard]] Method cub_method();     // cub_partition.cu
[[nodiscard]] Method custom_method();  // custom_partition.cu

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      classification_kernel_method(),
      on_demand_method(),
      cub_method(),
      custom_method(),
  };
  return all;
}

const Method& find_method(std::string_view name) {
  return find_by_name(methods(), name, "partition");
}

}  // namespace wrsgpu::partition
