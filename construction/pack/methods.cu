#include "construction/pack/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::pack {

// One file each.
[[nodiscard]] Method baseline_method();  // baseline.cu
[[nodiscard]] Method baseline_branched_method();
[[nodiscard]] Method reordered_round_robin_method();
[[nodiscard]] Method reordered_random_method();
[[nodiscard]] Method shared_memory_method();  // shared_memory.cu
[[nodiscard]] Method shared_memory_branched_method();
[[nodiscard]] Method chunked_method();  // chunked.cu
[[nodiscard]] Method chunked_half_method();
[[nodiscard]] Method chunked_async_method();
[[nodiscard]] Method chunked_half_async_method();
[[nodiscard]] Method chunked_branched_method();
[[nodiscard]] Method table_in_shared_memory_method();  // table_in_shared_memory.cu
[[nodiscard]] Method table_in_shared_memory_branched_method();
[[nodiscard]] Method prefilled_method();  // prefilled.cu
[[nodiscard]] Method prefilled_branched_method();
[[nodiscard]] Method sweeping_method();  // sweeping.cu
[[nodiscard]] Method sweeping_shared_loop_method();
[[nodiscard]] Method precomputed_weights_method();  // precomputed_weights.cu
[[nodiscard]] Method precomputed_weights_branched_method();

Method branched(Method optimised, decltype(Method::launch) launch) {
  optimised.summary = optimised.name + ", memory read in both branches";
  optimised.name += "_branched";
  optimised.source = "thesis 4.1";
  optimised.launch = launch;
  return optimised;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      baseline_method(),
      baseline_branched_method(),
      shared_memory_method(),
      shared_memory_branched_method(),
      chunked_method(),
      chunked_half_method(),
      chunked_async_method(),
      chunked_half_async_method(),
      chunked_branched_method(),
      table_in_shared_memory_method(),
      table_in_shared_memory_branched_method(),
      prefilled_method(),
      prefilled_branched_method(),
      sweeping_method(),
      sweeping_shared_loop_method(),
      reordered_round_robin_method(),
      reordered_random_method(),
      precomputed_weights_method(),
      precomputed_weights_branched_method(),
  };
  return all;
}

const Method& find_method(std::string_view name) {
  return find_by_name(methods(), name, "pack method");
}

}  // namespace wrsgpu::pack
