// The baseline pack on the GPU: one thread per section, reading directly from the lists (thesis
// 3.2.1, 4.5.1).
#include "construction/pack/baseline.hpp"

#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {
namespace {

constexpr unsigned block_threads = 256;
constexpr const char* masses_are_next_to_them =
    "another order changes which masses are looked up next to each other, and such lists look none "
    "up";

/// One thread per section of the range, in blocks of any size. Threads are independent; they read
/// the lists and write the rows in device memory, without copies.
template <Form form, class Task, class Rows>
__global__ void baseline(Task task, Rows rows) {
  const Index section = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (section >= task.past_section()) return;
  pack<form>(task.items.lists(), task.source.get(), rows, task.splits[section],
             task.splits[section + 1]);
}

template <Form form>
void launch_baseline(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                     cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    set_cache(baseline<form, Task, Rows>, task.cache);
    baseline<form>
        <<<blocks_for(task.max_sections(), block_threads), block_threads, 0, stream>>>(task, rows);
  });
  check_launch("pack::baseline");
}

}  // namespace

[[nodiscard]] PackMethod baseline_method() {
  return {.name = "baseline",
          .source = "thesis 3.2.1",
          .summary = "one thread per section, branches choose pointers only",
          .launch = launch_baseline<Form::optimised>};
}
[[nodiscard]] PackMethod baseline_branched_method() {
  return branched(baseline_method(), launch_baseline<Form::readable>);
}
[[nodiscard]] PackMethod reordered_round_robin_method() {
  return {.name = "reordered_round_robin",
          .source = "thesis 3.2.5",
          .summary = "baseline; lists dealt out to the sections like cards",
          .launch = launch_baseline<Form::optimised>,
          .elements = {ElementKind::index},
          .indices_only = masses_are_next_to_them,
          .order = Order::round_robin,
          .competitive = false};
}
[[nodiscard]] PackMethod reordered_random_method() {
  return {.name = "reordered_random",
          .source = "thesis 3.2.5",
          .summary = "baseline; lists in random order",
          .launch = launch_baseline<Form::optimised>,
          .elements = {ElementKind::index},
          .indices_only = masses_are_next_to_them,
          .order = Order::random,
          .competitive = false};
}

}  // namespace wrsgpu::pack
