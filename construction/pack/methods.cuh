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
  /// Launches the packing of all sections; the conventions of `DeviceArena`.
  void (*launch)(const AnyPackTask& task, const AnyRows& rows, DeviceArena& arena,
                 cudaStream_t stream);
  /// Rows per section where the caller does not choose.
  Index section_items = 32;
  std::vector<ElementKind> elements = {ElementKind::index, ElementKind::index_and_mass};
  /// Why not with masses, of a method for indices only.
  std::string indices_only = {};
  /// How the lists are arranged before the sums are made.
  Order order = Order::by_index;
  /// True for floating-point arithmetic only: the method keeps whole masses in the rows, which
  /// fixed-point rows cannot hold.
  bool floating_only = false;
  /// True if the method rejects some weights, with a reason.
  bool refuses_weights = false;
  /// In thesis Figure 5.2, and not in Table 5.1.
  bool competitive = true;
};

/// The readable form of a method, there to be compared, which `launch` launches: `name` +
/// "_branched".
[[nodiscard]] PackMethod branched(PackMethod optimised, decltype(PackMethod::launch) launch);

/// All of them; a new one is a file, declared and listed in methods.cu.
[[nodiscard]] const std::vector<PackMethod>& methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const PackMethod& find_method(std::string_view name);

}  // namespace wrsgpu::pack
