// The baseline split on the GPU: one thread and one binary search per split (thesis 3.1.1, 4.4.1).
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/construction/split/device_sums.cuh"

namespace wrsgpu::split {

/// Where the sections of a table end: after every `section_items` rows, and after the last.
struct Sections {
  Index size;
  Index section_items;

  [[nodiscard]] WRSGPU_HD Index count() const {
    return static_cast<Index>((std::uint64_t{size} + section_items - 1) / section_items);
  }
  /// Rows before section `section`; `section` = count() gives all rows.
  [[nodiscard]] WRSGPU_HD Index start(Index section) const {
    const std::uint64_t rows = std::uint64_t{section} * section_items;
    return rows < size ? static_cast<Index>(rows) : size;
  }
};

/// Split `k` is the state before section k; there is one more split than sections.
template <class Source, class Mass>
__global__ void baseline(Source source, Sections sections, partition::Items items, const Mass* sums,
                         State<Mass>* splits) {
  const Index split = blockIdx.x * blockDim.x + threadIdx.x;
  if (split > sections.count()) return;
  const auto prefix = device_prefix_sums(items, sums, static_cast<Mass>(source.get().bucket));
  splits[split] = binary_search(prefix, sections.start(split));
}

}  // namespace wrsgpu::split
