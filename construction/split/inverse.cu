// The inverse splits (thesis 3.1.3): instead of looking for the heavy item of each split, every
// heavy item looks for the splits that are its own. Not competitive.
#include "wrsgpu/construction/split/methods.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::split {
namespace {

constexpr int block_threads = 256;
constexpr unsigned max_grid_y = 65535;

/// Whether the open heavy item of the state after `items` rows is `heavy`. Where rounding makes
/// several candidates, the smallest counts.
template <class Sums, class Mass>
[[nodiscard]] __device__ bool is_open(const PrefixSums<Mass, Sums>& sums, Index heavy,
                                      Index items) {
  const SearchRange possible = search_range(sums, items);
  if (heavy < possible.low || heavy > possible.high) return false;
  return (heavy == possible.low || is_written(sums, heavy - 1, items)) &&
         (heavy == possible.high || !is_written(sums, heavy, items));
}

/// One thread per heavy item, and one for the state behind the last, for every split. Where the
/// grid has fewer rows than there are splits, each row loops over its share: with one row, over
/// all.
template <class Mass>
__global__ void inverse(Task<Mass> task, Index* open_heavy) {
  const Index heavy = blockIdx.x * blockDim.x + threadIdx.x;
  const auto sums = task.prefix_sums();
  if (heavy > sums.heavies) return;
  const Sections sections = task.sections();
  for (std::uint64_t split = task.range.first + std::uint64_t{blockIdx.y};
       split < task.past_split(); split += gridDim.y) {
    const Index items = sections.start(static_cast<Index>(split));
    if (is_open(sums, heavy, items)) atomicMin(open_heavy + split, heavy);
  }
}

template <class Mass>
__global__ void write_states(Task<Mass> task, const Index* open_heavy) {
  const Index split = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (split >= task.past_split()) return;
  const Sections sections = task.sections();
  task.splits[split] = state_with(task.prefix_sums(), open_heavy[split], sections.start(split));
}

template <bool parallel>
void launch_inverse(const AnyTask& any, DeviceArena& arena, cudaStream_t stream) {
  std::visit(
      [&](const auto& task) {
        const std::uint64_t splits = task.max_splits();
        auto* open_heavy = arena.take<Index>(splits);
        if (!arena.has_block()) return;
        WRSGPU_CUDA_CHECK(cudaMemsetAsync(open_heavy, 0xFF, splits * sizeof(Index), stream));
        const unsigned blocks = blocks_for(task.size + std::uint64_t{1}, block_threads);
        const std::uint64_t wanted = parallel ? splits : 1;
        const auto rows = static_cast<unsigned>(wanted < max_grid_y ? wanted : max_grid_y);
        inverse<<<dim3(blocks, rows), block_threads, 0, stream>>>(task, open_heavy);
        check_launch("split::inverse");
        write_states<<<blocks_for(splits, block_threads), block_threads, 0, stream>>>(task,
                                                                                      open_heavy);
        check_launch("split::write_states");
      },
      any);
}

constexpr Index most_sections = 1024;

}  // namespace

[[nodiscard]] Method inverse_method() {
  return {"inverse", "thesis 3.1.3", "one thread per heavy item, a loop over the splits",
          launch_inverse<false>, most_sections};
}
[[nodiscard]] Method parallel_inverse_method() {
  return {"parallel_inverse", "thesis 3.1.3", "one thread per heavy item and split",
          launch_inverse<true>, most_sections};
}

}  // namespace wrsgpu::split
