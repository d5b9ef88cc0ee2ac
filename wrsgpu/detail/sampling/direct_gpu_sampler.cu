#include "wrsgpu/detail/sampling/direct_gpu_sampler.cuh"

#include "wrsgpu/detail/sampling/direct_kernel.cuh"

namespace wrsgpu {
namespace {

struct WholeRows {
  const CompactRow* rows;
  Index count;

  [[nodiscard]] __device__ Index size() const { return count; }
  template <int quads, int samples>
  __device__ void pick(const RowChoice (&choices)[quads][samples],
                       Index (&items)[quads][samples]) const {
    CompactRow chosen[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) chosen[j][s] = load_constant(rows + choices[j][s].row);
    }
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        const Index variate = CompactRows::variate(choices[j][s].fraction);
        items[j][s] =
            CompactRows::accepts(chosen[j][s], variate) ? choices[j][s].row : chosen[j][s].alias;
      }
    }
  }
};

}  // namespace

DirectGpuSampler::DirectGpuSampler(const GpuSamplerOptions& options) : options_(options) {
  check_split_word_options(options);
  check_no_sections(options);
}

std::string DirectGpuSampler::refusal(const DeviceTable& table) const {
  return split_word_refusal(table);
}

void DirectGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                              std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  launch_draw_directly(WholeRows{compact_rows(table), table.size()}, options_, output, samples,
                       state, stream);
}

}  // namespace wrsgpu
