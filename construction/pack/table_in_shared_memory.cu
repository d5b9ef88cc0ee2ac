// Alias table in shared memory (thesis 3.2.5 and 4.5.5): a block packs its sections into shared
// memory and copies the rows to the table in order. That needs sections of neighbouring rows that
// do not overlap those of other blocks, which few weights have; others are rejected.
#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {
namespace {

constexpr unsigned shared_table_threads = 64;
constexpr unsigned workers = 32;
constexpr Index section_items = 32;

/// The rows [begin, begin + size) of the table; what would go elsewhere is only noticed.
template <class Mass>
struct BufferedRows {
  Mass* own;
  Index* alias;
  Index begin;
  Index size;
  int* overlaps;

  __device__ void store(Index item, Mass own_mass, Index its_alias) const {
    const Index at = item - begin;
    if (at < size) {
      own[at] = own_mass;
      alias[at] = its_alias;
    } else {
      *overlaps = 1;
    }
  }
};

/// A block for `workers` neighbouring sections: as many threads make the rows of one each in shared
/// memory, then all copy them to the table. Names its first section in `*task.refusal` where a row
/// of theirs lies outside.
template <Form form, class Task, class Rows>
__global__ void __launch_bounds__(shared_table_threads)
    table_in_shared_memory(Task task, Rows rows) {
  using Element = typename Task::Element;
  using Mass = typename Task::Mass;
  __shared__ Mass own[workers * section_items];
  __shared__ Index alias[workers * section_items];
  __shared__ int overlaps;
  const split::Sections sections = task.sections();
  const Index first = task.range.first + blockIdx.x * workers;
  if (first >= task.past_section()) return;
  if (threadIdx.x == 0) overlaps = 0;
  __syncthreads();
  const Index past = first + workers < task.past_section() ? first + workers : task.past_section();
  const Index begin = sections.start(first);
  const Index size = sections.start(past) - begin;
  const Index section = first + threadIdx.x;
  if (threadIdx.x < workers && section < past) {
    const auto masses = task.source.get();
    const ListReader<Element, typename Task::Source::Masses> reader{task.items.lists(), masses};
    Packer<Mass>(reader, task.items.counts[1], masses.bucket, task.splits[section],
                 task.splits[section + 1])
        .template pack<form>(reader, BufferedRows<Mass>{own, alias, begin, size, &overlaps});
  }
  __syncthreads();
  if (overlaps != 0) {
    if (threadIdx.x == 0) atomicMin(&task.refusal->section, first);
    return;
  }
  // As many rows as were written, each in the range, make the whole range.
  for (Index i = threadIdx.x; i < size; i += shared_table_threads) {
    rows.store(begin + i, own[i], alias[i]);
  }
}

template <Form form>
void launch_table_in_shared_memory(const AnyPackTask& any, const AnyRows& any_rows,
                                   DeviceArena& arena, cudaStream_t stream) {
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    if (task.section_items > section_items) {
      throw Error(too_large("table_in_shared_memory", task.section_items, section_items));
    }
    if (!arena.has_block()) return;
    set_cache(table_in_shared_memory<form, Task, Rows>, task.cache);
    table_in_shared_memory<form>
        <<<blocks_for(task.max_sections(), workers), shared_table_threads, 0, stream>>>(task, rows);
    check_launch("pack::table_in_shared_memory");
  });
}

}  // namespace

[[nodiscard]] PackMethod table_in_shared_memory_method() {
  return {.name = "table_in_shared_memory",
          .source = "thesis 3.2.5",
          .summary = "rows collected in shared memory; rejects weights whose sections overlap",
          .launch = launch_table_in_shared_memory<Form::optimised>,
          .section_items = section_items,
          .max_section_items = [](std::size_t, std::size_t) { return section_items; },
          .refuses_weights = true,
          .competitive = false};
}
[[nodiscard]] PackMethod table_in_shared_memory_branched_method() {
  return branched(table_in_shared_memory_method(), launch_table_in_shared_memory<Form::readable>);
}

}  // namespace wrsgpu::pack
