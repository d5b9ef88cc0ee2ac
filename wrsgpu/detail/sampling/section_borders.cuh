// Offsets of a table's sections in the output.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/sampling/section_tree.hpp"
#include "wrsgpu/detail/sampling/sections.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Offsets in device memory, computed by `find_borders`.
struct SectionBorders {
  split::Sections sections;
  unsigned long long* first_samples;  ///< one per section, and one after the last
  unsigned long long* parts_begun;    ///< of the parts that belong to no block

  /// Required size, in 64-bit words.
  [[nodiscard]] static std::size_t size(const split::Sections& sections) {
    return sections.count() + std::size_t{2};
  }
  [[nodiscard]] static SectionBorders at(unsigned long long* memory,
                                         const split::Sections& sections) {
    return {sections, memory, memory + sections.count() + 1};
  }

  /// The section of a sample; all lanes of a warp search for it.
  [[nodiscard]] __device__ Index find(std::uint64_t sample) const {
    Index section = 0;
    for (Index count = sections.count(); count > 1;) {  // candidates left
      const Index step = count / 32 + (count % 32 != 0 ? 1 : 0);
      const Index probe = threadIdx.x % 32 * step;
      const bool is_reached = probe < count && first_samples[section + probe] <= sample;
      const auto skipped = step * static_cast<Index>(__popc(__ballot_sync(~0U, is_reached)) - 1);
      section += skipped;
      count = min(step, count - skipped);
    }
    return section;
  }
  /// The end of a section's samples; the number of samples for sections beyond the last.
  [[nodiscard]] __device__ std::uint64_t past(Index section) const {
    return first_samples[min(section + 1, sections.count())];
  }
};

/// Launches a kernel that finds the borders by the tree and sets `*parts_begun` to 0. It triggers
/// the launch of the next kernel early if that is launched by `launch_programmatic`. This kernel
/// itself must be launched normally: the next one may then read the output of earlier kernels, such
/// as the rows, without waiting.
void find_borders(const SectionTree& tree, const SectionBorders& borders, cudaStream_t stream);

}  // namespace wrsgpu
