// The pack methods on the GPU, by name.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "construction/pack/reorder.hpp"
#include "construction/pack/task.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu::pack {

/// Elements of the lists (thesis 3.2.3): indices, or each index with the item's mass.
enum class ElementKind { index, index_and_mass };

struct PackMethod {
  std::string name;
  /// Publication and section.
  std::string source;
  std::string summary;
  /// Launches the packing of all sections. Follows the conventions of `DeviceArena`.
  void (*launch)(const AnyPackTask& task, const AnyRows& rows, DeviceArena& arena,
                 cudaStream_t stream);
  /// Default number of rows per section; if `multiprocessor_sections` is not 0, more where so many
  /// sections for each multiprocessor hold all rows (thesis 4.5.4).
  Index section_items = 32;
  Index multiprocessor_sections = 0;
  /// Maximum number of rows per section, given the bytes of an element and the shared memory of a
  /// block; null: no maximum.
  Index (*max_section_items)(std::size_t element_bytes, std::size_t shared_bytes) = nullptr;
  std::vector<ElementKind> elements = {ElementKind::index, ElementKind::index_and_mass};
  /// For a method that supports indices only: the reason that it does not support masses.
  std::string indices_only = {};
  /// Order of the lists before the prefix sums are computed.
  Order order = Order::by_index;
  /// True for methods of floating-point arithmetic only: they store whole masses in the rows, which
  /// fixed-point rows cannot represent.
  bool floating_only = false;
  /// True if the method rejects some valid weights, with a reason.
  bool refuses_weights = false;
  /// True for methods in thesis Figure 5.2, false for those in Table 5.1.
  bool competitive = true;
};

/// The readable form of a method, which `launch` launches, for comparison: `name` + "_branched".
[[nodiscard]] PackMethod branched(PackMethod optimised, decltype(PackMethod::launch) launch);

/// Says that pack method `name` packs no sections of `section_items` items, but of `maximum`.
[[nodiscard]] std::string too_large(std::string_view name, Index section_items, Index maximum);

/// The reason that `method` cannot pack sections of so many rows, or an empty string.
[[nodiscard]] std::string section_refusal(const PackMethod& method, ElementKind elements,
                                          Index section_items, std::size_t shared_bytes);

/// All methods. A new one is a file, declared and listed in methods.cu.
[[nodiscard]] const std::vector<PackMethod>& methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const PackMethod& find_method(std::string_view name);

}  // namespace wrsgpu::pack
