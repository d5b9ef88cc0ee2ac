// Lists l and h in shared memory (thesis 3.2.2, 4.5.2): a block copies the parts of the lists that
// its sections need, in order, and then its first threads, the workers, pack from there.
#pragma once

#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/shared_memory.cuh"

namespace wrsgpu::pack {

/// Maximum number of elements of the sections of `workers` threads: their own, the heavy item that
/// is open before the first and the one open after the last.
[[nodiscard]] constexpr std::size_t shared_elements(unsigned workers, Index section_items) {
  return std::size_t{workers} * section_items + 2;
}

/// Maximum number of items of a section for which the elements fit.
template <unsigned workers>
[[nodiscard]] Index max_shared_memory_items(std::size_t element_bytes, std::size_t shared_bytes) {
  return static_cast<Index>((shared_bytes / element_bytes - shared_elements(0, 0)) / workers);
}

/// One block for `workers` neighbouring sections of the range: all threads copy the elements of the
/// sections from both lists to dynamic shared memory for `shared_elements(workers, section_items)`
/// elements, then the first `workers` threads pack one section each.
template <unsigned block_threads, unsigned workers, Form form, class Task, class Rows>
__global__ void __launch_bounds__(block_threads) shared_memory(Task task, Rows rows) {
  using Element = typename Task::Element;
  using Mass = typename Task::Mass;
  extern __shared__ __align__(16) std::byte shared[];
  auto* const elements = reinterpret_cast<Element*>(shared);
  const auto lists = task.items.lists();
  const Index sections = task.past_section();
  const Index first = task.range.first + blockIdx.x * workers;
  if (first >= sections) return;
  const Index past = first + workers < sections ? first + workers : sections;
  const split::State<Mass> begin = task.splits[first];
  const split::State<Mass> end = task.splits[past];
  // The open heavy items: the last one of all stays open after all are written.
  const Index last = lists.heavies - 1;  // unused if there is none
  const Index heavy_begin = begin.heavy < last ? begin.heavy : last;
  const Index heavy_end = lists.heavies == 0 ? 0 : (end.heavy < last ? end.heavy : last) + 1;
  const Index lights = end.light - begin.light;
  const Index heavies = lists.heavies == 0 ? 0 : heavy_end - heavy_begin;
  for (Index i = threadIdx.x; i < lights; i += block_threads) {
    elements[i] = lists.light[begin.light + i];
  }
  for (Index j = threadIdx.x; j < heavies; j += block_threads) {
    elements[lights + j] = lists.heavy[heavy_begin + j];
  }
  __syncthreads();
  const Index section = first + threadIdx.x;
  if (threadIdx.x >= workers || section >= sections) return;
  // Renumbers the section relative to the first elements in shared memory.
  const auto shifted = [&](const split::State<Mass>& state) {
    return split::State<Mass>{state.light - begin.light,
                              lists.heavies == 0 ? 0 : state.heavy - heavy_begin, state.spill};
  };
  const auto masses = task.source.get();
  const Lists<Element> own{elements, elements + lights, lights,
                           lists.heavies == 0 ? 0 : lists.heavies - heavy_begin};
  const ListReader<Element, typename Task::Source::Masses> reader{own, masses};
  Packer<Mass>(reader, own.heavies, masses.bucket, shifted(task.splits[section]),
               shifted(task.splits[section + 1]))
      .template pack<form>(reader, rows);
}

template <unsigned block_threads, unsigned workers, Form form, class Task, class Rows>
void launch_shared_memory_task(const Task& task, const Rows& rows, DeviceArena& arena,
                               cudaStream_t stream) {
  constexpr std::size_t element_bytes = sizeof(typename Task::Element);
  const Index maximum = max_shared_memory_items<workers>(element_bytes, max_shared_bytes(0));
  if (task.section_items > maximum) {
    throw Error(too_large("shared_memory", task.section_items, maximum));
  }
  if (!arena.has_block()) return;
  const std::size_t bytes = shared_elements(workers, task.section_items) * element_bytes;
  const auto kernel = shared_memory<block_threads, workers, form, Task, Rows>;
  allow_all_shared_memory(kernel);
  set_cache(kernel, task.cache);
  kernel<<<blocks_for(task.max_sections(), workers), block_threads, bytes, stream>>>(task, rows);
  check_launch("pack::shared_memory");
}

/// `block_threads` threads copy, `workers` of them pack (thesis 4.8.4: the best shape for a device
/// is measured).
template <unsigned block_threads, unsigned workers, Form form = Form::optimised>
void launch_shared_memory(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                          cudaStream_t stream) {
  static_assert(workers <= block_threads);
  dispatch(any, any_rows, [&](const auto& task, const auto& rows) {
    launch_shared_memory_task<block_threads, workers, form>(task, rows, arena, stream);
  });
}

}  // namespace wrsgpu::pack
