#include "wrsgpu/construction/pack/methods.cuh"

#include "wrsgpu/core/find_by_name.hpp"

namespace wrsgpu::pack {

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      baseline_method(),
      baseline_branched_method(),
      shared_memory_method(),
      chunked_method(),
      chunked_half_method(),
      chunked_async_method(),
      chunked_half_async_method(),
      table_in_shared_memory_method(),
      prefilled_method(),
      sweeping_method(),
      sweeping_shared_loop_method(),
      reordered_round_robin_method(),
      reordered_random_method(),
      precomputed_weights_method(),
  };
  return all;
}

const Method& find_method(std::string_view name) {
  return find_by_name(methods(), name, "pack method");
}

}  // namespace wrsgpu::pack
