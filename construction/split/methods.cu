#include "wrsgpu/construction/split/methods.cuh"

#include "wrsgpu/core/find_by_name.hpp"

namespace wrsgpu::split {

// One file each.
[[nodiscard]] Method baseline_method();  // baseline.cu
[[nodiscard]] Method baseline_group_1_method();
[[nodiscard]] Method partial_p_ary_method();  // partial_p_ary.cu
[[nodiscard]] Method inverse_method();        // inverse.cu
[[nodiscard]] Method parallel_inverse_method();

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      baseline_method(),          //
      baseline_group_1_method(),  //
      partial_p_ary_method(),     //
      inverse_method(),           //
      parallel_inverse_method(),  //
  };
  return all;
}

const Method& find_method(std::string_view name) {
  return find_by_name(methods(), name, "split method");
}

}  // namespace wrsgpu::split
