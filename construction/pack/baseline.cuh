// The baseline pack on the GPU: one thread per section (thesis 3.2.1, 4.5.1).
#pragma once

#include "wrsgpu/construction/pack/baseline.hpp"
#include "wrsgpu/construction/split/baseline.cuh"

namespace wrsgpu::pack {

/// `optimised` chooses between the two forms of the pack function (Algorithms 4.1 and 4.2).
template <bool optimised, class Source, class Mass, class Rows>
__global__ void baseline(Source source, split::Sections sections, partition::Items items,
                         const split::State<Mass>* splits, Rows rows) {
  const Index section = blockIdx.x * blockDim.x + threadIdx.x;
  if (section >= sections.count()) return;
  if constexpr (optimised) {
    pack_optimised(items.lists(), source.get(), rows, splits[section], splits[section + 1]);
  } else {
    pack(items.lists(), source.get(), rows, splits[section], splits[section + 1]);
  }
}

}  // namespace wrsgpu::pack
