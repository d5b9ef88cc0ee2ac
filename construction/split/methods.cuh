// The split methods on the GPU, by name.
#pragma once

#include <cuda_runtime_api.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "construction/split/task.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu::split {

struct SplitMethod {
  std::string name;
  /// Publication and section.
  std::string source;
  std::string summary;
  /// Launches the search on a stream. Follows the conventions of `DeviceArena`.
  void (*launch)(const AnySplitTask& task, DeviceArena& arena, cudaStream_t stream);
  /// False for methods that serve only for comparison, combined with the baseline pack only.
  bool competitive = true;
  /// Maximum reasonable number of sections: the inverse methods examine every item for every split.
  Index max_sections = std::numeric_limits<Index>::max();

  [[nodiscard]] bool is_for_few_sections() const {
    return max_sections < std::numeric_limits<Index>::max();
  }
};

/// All methods. A new one is a file, declared and listed in methods.cu.
[[nodiscard]] const std::vector<SplitMethod>& methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const SplitMethod& find_method(std::string_view name);

}  // namespace wrsgpu::split
