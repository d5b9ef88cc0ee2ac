// The baseline split on the GPU: one thread and one binary search per split (thesis 3.1.1, 4.4.1).
#include "construction/split/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::split {
namespace {

/// One thread per split of the range, in blocks of any size; threads are independent.
template <class Mass>
__global__ void baseline(SplitTask<Mass> task) {
  const Index split = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (split >= task.past_split()) return;
  task.splits[split] = binary_search(task.prefix_sums(), task.sections().start(split));
}

/// Large groups share the first memory accesses of their searches; groups of one thread distribute
/// a small number of splits over more multiprocessors (thesis 4.4.1).
template <unsigned threads>
void launch_baseline(const AnySplitTask& any, DeviceArena& arena, cudaStream_t stream) {
  if (!arena.has_block()) return;
  std::visit(
      [&](const auto& task) {
        baseline<<<blocks_for(task.max_splits_in_range(), threads), threads, 0, stream>>>(task);
      },
      any);
  check_launch("split::baseline");
}

}  // namespace

[[nodiscard]] SplitMethod baseline_method() {
  return {.name = "baseline",
          .source = "thesis 3.1.1",
          .summary = "one binary search per split, groups of 256",
          .launch = launch_baseline<256>};
}
[[nodiscard]] SplitMethod baseline_group_1_method() {
  return {.name = "baseline_group_1",
          .source = "thesis 4.4.1",
          .summary = "one binary search per split, groups of one thread",
          .launch = launch_baseline<1>,
          .competitive = false};
}

}  // namespace wrsgpu::split
