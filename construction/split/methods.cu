#include "construction/split/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::split {

// Each is in the file of its name, or in the one beside it.
[[nodiscard]] SplitMethod baseline_method();
[[nodiscard]] SplitMethod baseline_group_1_method();  // baseline.cu
[[nodiscard]] SplitMethod partial_p_ary_method();
[[nodiscard]] SplitMethod partial_p_ary_p_over_2_method();  // partial_p_ary.cu
[[nodiscard]] SplitMethod partial_p_ary_p_over_4_method();
[[nodiscard]] SplitMethod partial_p_ary_p_over_16_method();
[[nodiscard]] SplitMethod partial_p_ary_p_over_32_method();
[[nodiscard]] SplitMethod inverse_method();
[[nodiscard]] SplitMethod parallel_inverse_method();  // inverse.cu

const std::vector<SplitMethod>& methods() {
  static const std::vector<SplitMethod> all{
      baseline_method(),          //
      baseline_group_1_method(),  //
      partial_p_ary_method(),     //
      partial_p_ary_p_over_2_method(),
      partial_p_ary_p_over_4_method(),
      partial_p_ary_p_over_16_method(),
      partial_p_ary_p_over_32_method(),
      inverse_method(),           //
      parallel_inverse_method(),  //
  };
  return all;
}

const SplitMethod& find_method(std::string_view name) {
  return find_by_name(methods(), name, "split method");
}

}  // namespace wrsgpu::split
