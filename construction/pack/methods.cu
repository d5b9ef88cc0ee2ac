#include "construction/pack/methods.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::pack {

// One file each.
[[nodiscard]] PackMethod baseline_method();  // baseline.cu
[[nodiscard]] PackMethod baseline_branched_method();
[[nodiscard]] PackMethod reordered_round_robin_method();
[[nodiscard]] PackMethod reordered_random_method();
[[nodiscard]] PackMethod shared_memory_method();  // shared_memory.cu
[[nodiscard]] PackMethod shared_memory_branched_method();
[[nodiscard]] PackMethod chunked_method();  // chunked.cu
[[nodiscard]] PackMethod chunked_half_method();
[[nodiscard]] PackMethod chunked_async_method();
[[nodiscard]] PackMethod chunked_half_async_method();
[[nodiscard]] PackMethod chunked_branched_method();
[[nodiscard]] PackMethod table_in_shared_memory_method();  // table_in_shared_memory.cu
[[nodiscard]] PackMethod table_in_shared_memory_branched_method();
[[nodiscard]] PackMethod prefilled_method();  // prefilled.cu
[[nodiscard]] PackMethod prefilled_branched_method();
[[nodiscard]] PackMethod sweeping_method();  // sweeping.cu
[[nodiscard]] PackMethod sweeping_shared_loop_method();
[[nodiscard]] PackMethod precomputed_weights_method();  // precomputed_weights.cu
[[nodiscard]] PackMethod precomputed_weights_branched_method();

PackMethod branched(PackMethod optimised, decltype(PackMethod::launch) launch) {
  optimised.summary = optimised.name + ", memory read in both branches";
  optimised.name += "_branched";
  optimised.source = "thesis 4.1";
  optimised.launch = launch;
  return optimised;
}

const std::vector<PackMethod>& methods() {
  static const std::vector<PackMethod> all{
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

const PackMethod& find_method(std::string_view name) {
  return find_by_name(methods(), name, "pack method");
}

}  // namespace wrsgpu::pack
