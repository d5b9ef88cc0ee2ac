#include "sampling/gpu_scan.cuh"

#include "sampling/gpu_monotone_kernels.cuh"

namespace wrsgpu {
namespace {

struct Bisect {
  IntervalsView intervals;
  [[nodiscard]] __device__ Index operator()(std::uint64_t word) const {
    return intervals.bisect(intervals.position(word));
  }
};

}  // namespace

void GpuScan::launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                     cudaStream_t stream) const {
  launch_draw_by_words(Bisect{intervals().view()}, output, samples, state, stream);
}

void GpuScan::launch_find(std::span<const std::uint64_t> words, Index* out,
                          cudaStream_t stream) const {
  launch_find_words(Bisect{intervals().view()}, words, out, stream);
}

}  // namespace wrsgpu
