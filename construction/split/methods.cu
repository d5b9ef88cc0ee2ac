#include "construction/split/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::split {

// Each is in the file of its name, or in the one beside it.
[[nodiscard]] Method baseline_method();
[[nodiscard]] Method baseline_group_1_method();  // baseline.cu
[[nodiscard]] Method partial_p_ary_method();
[[nodiscard]] Method inverse_method();
[[nodiscard]] Method parallel_inverse_method();  // inverse.cu

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
