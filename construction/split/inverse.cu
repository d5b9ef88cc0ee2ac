// The inverse splits (thesis 3.1.3): instead of searching the heavy item of each split, every heavy
// item searches its splits. Not competitive.
#include "construction/split/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::split {
namespace {

constexpr int block_threads = 256;
constexpr unsigned max_grid_y = 65535;

/// A heavy item, or the sentinel after the last one, with the masses of the heavy items before it
/// and up to and including it; read once for all splits.
template <class Sums, class Mass>
class HeavyItem {
 public:
  __device__ HeavyItem(const PrefixSums<Mass, Sums>& sums, Index number)
      : sums_(sums),
        number_(number),
        before_(number == 0 ? Mass{0} : sums.heavy[number - 1]),
        up_to_(number == sums.heavies ? Mass{0} : sums.heavy[number]) {}

  /// True if the item is open in the state after `items` rows. If rounding yields several
  /// candidates, the smallest is used.
  [[nodiscard]] __device__ bool is_open(Index items) const {
    const SearchRange possible = search_range(sums_, items);
    if (number_ < possible.low || number_ > possible.high) return false;
    return (number_ == possible.low || is_written(sums_, number_ - 1, before_, items)) &&
           (number_ == possible.high || !is_written(sums_, number_, up_to_, items));
  }

 private:
  const PrefixSums<Mass, Sums>& sums_;
  Index number_;
  Mass before_;
  Mass up_to_;
};

/// One thread per heavy item, and one for the state after the last, for every split. If the grid
/// has fewer rows than splits, each row loops over its share.
template <class Mass>
__global__ void inverse(SplitTask<Mass> task, Index* open_heavy) {
  const Index number = blockIdx.x * blockDim.x + threadIdx.x;
  const auto sums = task.prefix_sums();
  if (number > sums.heavies) return;
  const HeavyItem heavy(sums, number);
  const Sections sections = task.sections();
  const std::uint64_t past = task.past_split();
  for (std::uint64_t split = task.range.first + std::uint64_t{blockIdx.y}; split < past;
       split += gridDim.y) {
    if (heavy.is_open(sections.start(static_cast<Index>(split)))) {
      atomicMin(open_heavy + split, number);
    }
  }
}

/// Computes each split from the first heavy item that is open there. One thread per split.
template <class Mass>
__global__ void write_states(SplitTask<Mass> task, const Index* open_heavy) {
  const Index split = task.range.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (split >= task.past_split()) return;
  const Sections sections = task.sections();
  task.splits[split] = state_with(task.prefix_sums(), open_heavy[split], sections.start(split));
}

template <bool parallel>
void launch_inverse(const AnySplitTask& any, DeviceArena& arena, cudaStream_t stream) {
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

constexpr Index max_competitive_sections = 1024;

}  // namespace

[[nodiscard]] SplitMethod inverse_method() {
  return {.name = "inverse",
          .source = "thesis 3.1.3",
          .summary = "one thread per heavy item, a loop over the splits",
          .launch = launch_inverse<false>,
          .competitive = false,
          .max_sections = max_competitive_sections};
}
[[nodiscard]] SplitMethod parallel_inverse_method() {
  return {.name = "parallel_inverse",
          .source = "thesis 3.1.3",
          .summary = "one thread per heavy item and split",
          .launch = launch_inverse<true>,
          .competitive = false,
          .max_sections = max_competitive_sections};
}

}  // namespace wrsgpu::split
