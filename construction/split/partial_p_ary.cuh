// The partial p-ary split (thesis 3.1.2 and 4.4.2): a block searches p neighbouring splits.
#pragma once

#include "construction/split/methods.cuh"
#include "construction/split/partial_p_ary_search.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::split {

/// True if the row of heavy item `heavy` is among the first `items` rows; for any number of both.
template <class Sums, class Mass>
[[nodiscard]] __device__ bool is_among(const PrefixSums<Mass, Sums>& sums, Index heavy,
                                       Index items) {
  const SearchRange possible = search_range(sums, items);
  if (heavy < possible.low) return true;
  if (heavy >= possible.high) return false;
  return is_written(sums, heavy, items);
}

/// A block of p threads searches p neighbouring splits of the range together. All threads,
/// including those without a split, reach the barriers of the search, which is joint while each
/// step leaves at most one part in `reduction`.
template <int p, unsigned reduction, class Mass>
__global__ void __launch_bounds__(p) partial_p_ary(SplitTask<Mass> task) {
  const Sections sections = task.sections();
  const Index first = task.range.first + blockIdx.x * p;
  if (first >= task.past_split()) return;
  const std::uint64_t left = task.past_split() - first;
  const unsigned queries = left < p ? static_cast<unsigned>(left) : p;
  const auto sums = task.prefix_sums();
  const Index heavy = block_partial_p_ary_search<p, reduction>(
      sums.heavies, queries, [&](Index position, unsigned query) {
        return is_among(sums, position, sections.start(first + query));
      });
  if (threadIdx.x >= queries) return;
  task.splits[first + threadIdx.x] = state_with(sums, heavy, sections.start(first + threadIdx.x));
}

template <int p, unsigned reduction = p / 8>
void launch_partial_p_ary(const AnySplitTask& any, DeviceArena& arena, cudaStream_t stream) {
  if (!arena.has_block()) return;
  std::visit(
      [&](const auto& task) {
        partial_p_ary<p, reduction>
            <<<blocks_for(task.max_splits_in_range(), p), p, 0, stream>>>(task);
      },
      any);
  check_launch("split::partial_p_ary");
}

}  // namespace wrsgpu::split
