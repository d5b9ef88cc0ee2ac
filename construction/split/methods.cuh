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
  /// Launches the search on a stream; takes its temporary storage from the arena, and launches
  /// nothing when that only counts.
  void (*launch)(const AnySplitTask& task, DeviceArena& arena, cudaStream_t stream);
  /// False for methods that are there to be compared: with pack method baseline only.
  bool competitive = true;
  /// Most sections it should look for: the inverse methods look at every item for every split.
  Index max_sections = std::numeric_limits<Index>::max();

  [[nodiscard]] bool is_for_few_sections() const {
    return max_sections < std::numeric_limits<Index>::max();
  }
};

/// All of them; a new one is a file, declared and listed in methods.cu.
[[nodiscard]] const std::vector<SplitMethod>& methods();
/// Throws `Error` that lists the known names.
[[nodiscard]] const SplitMethod& find_method(std::string_view name);

}  // namespace wrsgpu::split
