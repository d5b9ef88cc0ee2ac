#include "wrsgpu/detail/sampling/direct_short_gpu_sampler.cuh"

#include "wrsgpu/detail/sampling/direct_rows.cuh"

namespace wrsgpu {
void DirectShortGpuSampler::launch_from(const Rows16View& rows, const AnyOutput& output,
                                        std::uint64_t samples, RandomState state,
                                        cudaStream_t stream) const {
  launch_draw_directly(QuarterRows{rows}, options(), output, samples, state, stream);
}

}  // namespace wrsgpu
