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
[[nodiscard]] PackMethod chunked_tuned_method();  // chunked_tuned.cu
[[nodiscard]] PackMethod chunked_tuned_async_method();
[[nodiscard]] PackMethod chunked_tuned_reuse_method();
[[nodiscard]] PackMethod table_in_shared_memory_method();  // table_in_shared_memory.cu
[[nodiscard]] PackMethod table_in_shared_memory_branched_method();
[[nodiscard]] PackMethod prefilled_method();  // prefilled.cu
[[nodiscard]] PackMethod prefilled_branched_method();
[[nodiscard]] PackMethod prefilled_by_memcpy_method();
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

std::string too_large(std::string_view name, Index section_items, Index maximum) {
  return "sections of " + std::to_string(section_items) + " items are too large for pack method " +
         std::string(name) + ", which has room for " + std::to_string(maximum);
}

std::string section_refusal(const PackMethod& method, ElementKind elements, Index section_items,
                            std::size_t shared_bytes) {
  if (method.max_section_items == nullptr) return {};
  const std::size_t bytes =
      elements == ElementKind::index ? sizeof(Index) : sizeof(ItemMass<double>);
  const Index maximum = method.max_section_items(bytes, shared_bytes);
  return section_items > maximum ? too_large(method.name, section_items, maximum) : std::string();
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
      chunked_tuned_method(),
      chunked_tuned_async_method(),
      chunked_tuned_reuse_method(),
      table_in_shared_memory_method(),
      table_in_shared_memory_branched_method(),
      prefilled_method(),
      prefilled_branched_method(),
      prefilled_by_memcpy_method(),
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
