// Kernel with one thread per section and a reader supplied by the method.
#pragma once

#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {

/// `make(task, rows, begin)` returns the reader of the section that begins with state `begin`.
template <Form form, class Task, class Rows, class MakeReader>
__global__ void pack_sections(Task task, Rows rows, MakeReader make) {
  using Mass = typename Task::Mass;
  const Index section = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (section >= task.past_section()) return;
  const split::State<Mass> begin = task.splits[section];
  const Mass bucket = task.source.get().bucket;
  auto reader = make(task, rows, begin);
  Packer<Mass>(reader, task.items.counts[1], bucket, begin, task.splits[section + 1])
      .template pack<form>(reader, rows);
}

template <Form form, class Task, class Rows, class MakeReader>
void launch_sections(const Task& task, const Rows& rows, MakeReader make, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  set_cache(pack_sections<form, Task, Rows, MakeReader>, task.cache);
  pack_sections<form>
      <<<blocks_for(task.max_sections(), threads), threads, 0, stream>>>(task, rows, make);
  check_launch("pack::pack_sections");
}

/// Methods that look up masses by item require lists of indices.
template <class Task>
inline constexpr bool has_index_elements = std::is_same_v<typename Task::Element, Index>;

}  // namespace wrsgpu::pack
