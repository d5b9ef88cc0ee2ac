#include "sampling/gpu_cutpoint.cuh"

#include "cpu_reference/cutpoint_segments.hpp"
#include "sampling/gpu_monotone_kernels.cuh"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {
namespace {

struct FromCutpoint {
  IntervalsView intervals;
  const Index* first_item;
  [[nodiscard]] __device__ Index operator()(std::uint64_t word) const {
    const Index segment = choose_row(word, intervals.size).row;
    return intervals.find_from(first_item[segment], intervals.position(word));
  }
};

/// Finds the item at which the search of each segment starts. One thread per segment.
__global__ void find_first_items(IntervalsView intervals, Index* first_item) {
  const std::uint64_t segment = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (segment >= intervals.size) return;
  first_item[segment] =
      intervals.bisect(intervals.position(first_word_of_segment(segment, intervals.size)));
}

}  // namespace

void GpuCutpoint::build_on_device(WeightsView weights, const WeightSummary& summary) {
  GpuIntervalMethod::build_on_device(weights, summary);
  if (first_item_.size() != summary.size) {
    first_item_ = {};
    first_item_ = DeviceBuffer<Index>(summary.size);
  }
  find_first_items<<<blocks_for(summary.size, monotone_threads), monotone_threads>>>(
      intervals().view(), first_item_.data());
  check_launch("find_first_items");
}

void GpuCutpoint::launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                         cudaStream_t stream) const {
  launch_draw_by_words(FromCutpoint{intervals().view(), first_item_.data()}, output, samples, state,
                       stream);
}

void GpuCutpoint::launch_find(std::span<const std::uint64_t> words, Index* out,
                              cudaStream_t stream) const {
  launch_find_words(FromCutpoint{intervals().view(), first_item_.data()}, words, out, stream);
}

}  // namespace wrsgpu
