// The baseline pack on the GPU: one thread per section, reading from the lists where they are
// (thesis 3.2.1, 4.5.1).
#include "wrsgpu/construction/pack/baseline.hpp"

#include "wrsgpu/construction/pack/methods.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::pack {
namespace {

constexpr unsigned block_threads = 256;

/// `optimised` chooses between the two forms of the pack function (Algorithms 4.1 and 4.2).
template <bool optimised, class Task, class Rows>
__global__ void baseline(Task task, Rows rows) {
  const Index section = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (section >= task.past_section()) return;
  const auto& begin = task.splits[section];
  const auto& end = task.splits[section + 1];
  if constexpr (optimised) {
    pack_optimised(task.items.lists(), task.source.get(), rows, begin, end);
  } else {
    pack(task.items.lists(), task.source.get(), rows, begin, end);
  }
}

template <bool optimised>
void launch_baseline(const AnyTask& any, const AnyRows& any_rows, DeviceArena& arena,
                     cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    set_cache(baseline<optimised, Task, Rows>, task.cache);
    baseline<optimised>
        <<<blocks_for(task.max_sections(), block_threads), block_threads, 0, stream>>>(task, rows);
  });
  check_launch("pack::baseline");
}

}  // namespace

[[nodiscard]] Method baseline_method() {
  return {.name = "baseline",
          .source = "thesis 3.2.1",
          .summary = "one thread per section, branches choose pointers only",
          .launch = launch_baseline<true>};
}
[[nodiscard]] Method baseline_branched_method() {
  return {.name = "baseline_branched",
          .source = "thesis 4.5.1",
          .summary = "one thread per section, memory read in both branches",
          .launch = launch_baseline<false>};
}
[[nodiscard]] Method reordered_round_robin_method() {
  return {.name = "reordered_round_robin",
          .source = "thesis 3.2.5",
          .summary = "baseline; lists dealt out to the sections like cards",
          .launch = launch_baseline<true>,
          .elements = {ElementKind::index},
          .order = Order::round_robin,
          .competitive = false};
}
[[nodiscard]] Method reordered_random_method() {
  return {.name = "reordered_random",
          .source = "thesis 3.2.5",
          .summary = "baseline; lists in random order",
          .launch = launch_baseline<true>,
          .elements = {ElementKind::index},
          .order = Order::random,
          .competitive = false};
}

}  // namespace wrsgpu::pack
